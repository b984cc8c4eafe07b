/** The brokers of the producer: who leads which partition, and a connection to each of them. */
import { Base, Writer } from '@platformatic/kafka'
import type { Reader } from '@platformatic/kafka'
import { connectionOf } from './kafka-connection.ts'
import type { KafkaConnectionOptions } from './kafka-connection.ts'
import { createConnectionTo } from './kafka-connections.ts'
import { openMetadata } from './kafka-metadata.ts'
import type { Cluster } from './kafka-metadata.ts'
import { produceApi, readProduceAnswer, requireProduce } from './kafka-produce-request.ts'
import type { PartitionAnswer } from './kafka-produce-request.ts'

export interface KafkaClusterOptions extends KafkaConnectionOptions {
  /** What is asked about. */
  readonly topics: readonly string[]
  /** How long a broker may take to answer a Produce request. */
  readonly requestTimeoutMs: number
}

export interface KafkaCluster {
  /**
   * @throws when no broker answers and none has before, or one that is too old or too new for our
   * requests.
   */
  connect(): Promise<void>
  /**
   * As it was when a broker answered last; undefined before. When that was some seconds ago one is
   * asked beside it, and nobody waits: one that is frozen must not hold up what goes to the others.
   */
  known(): Cluster | undefined
  /** What is known, or else what a broker says now. @throws when none answers. */
  look(): Promise<Cluster>
  /** What is known may be wrong: a broker is asked beside what goes on. */
  doubt(): void
  /**
   * Hands a Produce request to the broker `leader`. It is made once there is a connection: what
   * waits for a broker that is away is tried again many times. @throws what the client throws.
   */
  produce(leader: number, makeRequest: () => Buffer): Promise<PartitionAnswer[]>
  close(): Promise<void>
}

const connectTimeoutMs = 3000
/** Requests on their way to one broker at a time. */
const inflightRequestsMax = 5
/** What is known is asked for again after so long, and after so long when it may be wrong. */
const maxAgeMs = 5000
const doubtAgeMs = 100

export function createKafkaCluster(options: KafkaClusterOptions): KafkaCluster {
  const client = openClient(options)
  const metadata = openMetadata(options)
  const connectionTo = createConnectionTo(
    (broker) => client.connections.get({ ...broker }),
    () => performance.now()
  )
  let latest: Cluster | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  let asking: Promise<Cluster> | undefined
  let isSpoken = false

  async function askNow(): Promise<Cluster> {
    askedAt = performance.now()
    latest = await metadata.ask()
    return latest
  }

  /** Of many that want it at once only one asks. */
  function ask(): Promise<Cluster> {
    asking ??= askNow().finally(() => (asking = undefined))
    return asking
  }

  /** Nobody waits for it. */
  function askIfOlderThan(ageMs: number): void {
    if (performance.now() - askedAt > ageMs) ask().catch(() => {})
  }

  function known(): Cluster | undefined {
    askIfOlderThan(maxAgeMs)
    return latest
  }

  const look = async (): Promise<Cluster> => known() ?? (await ask())

  async function connect(): Promise<void> {
    await look()
    if (isSpoken) return
    requireProduce(await metadata.listApis())
    isSpoken = true
  }

  return {
    connect,
    known,
    look,
    doubt: () => askIfOlderThan(doubtAgeMs),
    produce: async (leader, makeRequest) => {
      const broker = latest?.brokers.get(leader)
      if (broker === undefined) throw new LeaderUnknownError()
      const connection = await connectionTo(broker)
      return await exchange(connection, makeRequest())
    },
    close: async () => void (await Promise.all([client.close(), metadata.close()]))
  }
}

/** Right after its leader is lost a partition has none. */
class LeaderUnknownError extends Error {
  override readonly name = 'LeaderUnknownError'
  override readonly message = 'the partition has no leader that is known'
}

/** Trying again is done elsewhere, where the deadline is known. */
function openClient(options: KafkaClusterOptions): Base {
  const client = new Base({
    ...connectionOf(options),
    // One attempt may last the whole deadline: a shorter one only makes duplicates of a slow
    // broker.
    requestTimeout: options.requestTimeoutMs,
    connectTimeout: connectTimeoutMs,
    maxInflights: inflightRequestsMax
  })
  // A broken connection also fails the request that used it, which is where it is handled.
  client.on('error', () => {})
  return client
}

type Connection = Awaited<ReturnType<Base['connections']['get']>>

async function exchange(connection: Connection, request: Buffer): Promise<PartitionAnswer[]> {
  const { promise, resolve, reject } = Promise.withResolvers<PartitionAnswer[]>()
  const { key, version } = produceApi
  const payload = (): Writer => Writer.create().append(request)
  const parse = (...answer: readonly [number, number, number, Reader]) =>
    readProduceAnswer(answer[3])
  connection.send(key, version, payload, parse, true, true, (error, answers) => {
    if (error) reject(error)
    else resolve(answers ?? [])
  })
  return await promise
}
