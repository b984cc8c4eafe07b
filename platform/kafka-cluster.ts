/** The brokers of the producer: who leads which partition, and a connection to each of them. */
import { Base, Writer } from '@platformatic/kafka'
import type { ClusterMetadata, Reader } from '@platformatic/kafka'
import { connectionOf } from './kafka-connection.ts'
import type { KafkaConnectionOptions } from './kafka-connection.ts'
import { produceApi, readProduceAnswer, requireProduce } from './kafka-produce-request.ts'
import type { PartitionAnswer } from './kafka-produce-request.ts'

export interface KafkaClusterOptions extends KafkaConnectionOptions {
  /** What is asked about. */
  readonly topics: readonly string[]
  /** How long a broker may take to answer. */
  readonly requestTimeoutMs: number
}

/** Topics with the leaders of their partitions, and brokers by their number. */
export type Cluster = Pick<ClusterMetadata, 'topics' | 'brokers'>

export interface KafkaCluster {
  /** @throws when no broker answers, or one that is too old or too new for our requests. */
  connect(): Promise<void>
  /**
   * As it was when a broker was asked last, which is done every few seconds; undefined before.
   * Nobody waits for that: a broker that is frozen must not hold up what goes to the others.
   */
  known(): Cluster | undefined
  /** What is known, or else what a broker says now. @throws when none answers. */
  look(): Promise<Cluster>
  /** What is known may be wrong: a broker is asked beside what goes on. */
  doubt(): void
  /** Hands a Produce request to the broker `leader`. @throws what the client throws. */
  produce(leader: number, request: Buffer): Promise<PartitionAnswer[]>
  close(): Promise<void>
}

const connectTimeoutMs = 3000
/** Requests on their way to one broker at a time. */
const inflightRequestsMax = 5
const maxAgeMs = 5000

export function createKafkaCluster(options: KafkaClusterOptions): KafkaCluster {
  const client = openClient(options)
  let askedAt = Number.NEGATIVE_INFINITY
  let isSpoken = false

  async function ask(): Promise<Cluster> {
    askedAt = performance.now()
    return await client.metadata({ topics: [...options.topics], forceUpdate: true })
  }

  function askBeside(): void {
    ask().catch(() => {})
  }

  function known(): Cluster | undefined {
    if (performance.now() - askedAt > maxAgeMs) askBeside()
    return client.currentMetadata
  }

  const look = async (): Promise<Cluster> => known() ?? (await ask())

  async function connect(): Promise<void> {
    await look()
    if (isSpoken) return
    requireProduce(await client.listApis())
    isSpoken = true
  }

  return {
    connect,
    known,
    look,
    doubt: askBeside,
    produce: async (leader, request) => {
      const broker = client.currentMetadata?.brokers.get(leader)
      if (broker === undefined) throw new LeaderUnknownError()
      return await exchange(await client.connections.get(broker), request)
    },
    close: async () => void (await client.close())
  }
}

/** Right after its leader is lost a partition has none. */
class LeaderUnknownError extends Error {
  override readonly name = 'LeaderUnknownError'
  override readonly message = 'the partition has no leader that is known'
}

function openClient(options: KafkaClusterOptions): Base {
  const client = new Base({
    ...connectionOf(options),
    autocreateTopics: false,
    // One attempt may last the whole deadline: a shorter one only makes duplicates of a slow
    // broker.
    requestTimeout: options.requestTimeoutMs,
    timeout: options.requestTimeoutMs,
    connectTimeout: connectTimeoutMs,
    // Trying again is done elsewhere, where the deadline is known.
    retries: 0,
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
