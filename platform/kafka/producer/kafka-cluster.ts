/** Kafka cluster as seen by the producer: tracks partition leaders and keeps a connection to each
 * broker.
 */
import { Base } from '@platformatic/kafka'
import type { Connection, Reader } from '@platformatic/kafka'
import { connectionOf } from './kafka-connection.ts'
import type { KafkaConnectionOptions } from './kafka-connection.ts'
import { createConnectionTo } from './kafka-connections.ts'
import { openMetadata } from './kafka-metadata.ts'
import type { Cluster } from './kafka-metadata.ts'
import { createPayload } from './kafka-produce-payload.ts'
import { produceApi, readProduceResponse, requireProduce } from './kafka-produce-request.ts'
import type { PartitionResult } from './kafka-produce-request.ts'

interface KafkaClusterOptions extends KafkaConnectionOptions {
  /** Topics to fetch metadata for. */
  readonly topics: readonly string[]
  /** Timeout of a Produce request. */
  readonly requestTimeoutMs: number
}

export interface KafkaCluster {
  /**
   * Loads the metadata and checks that a broker supports the version of the Produce request that is
   * used. Once it has succeeded, further calls need no broker.
   * @throws if no broker responds, a topic does not exist, or the request is not supported
   */
  connect(): Promise<void>
  /**
   * Returns the latest metadata; undefined before the first response. Metadata older than 5 s is
   * refreshed in the background, so that a frozen broker does not delay requests to other brokers.
   */
  cached(): Cluster | undefined
  /**
   * Returns the cached metadata, or fetches it if there is none.
   * @throws if no broker responds or a topic does not exist
   */
  load(): Promise<Cluster>
  /** Refreshes the metadata in the background. Call it when the metadata may be outdated. */
  refresh(): void
  /**
   * Sends a Produce request to the broker `leader`. Builds the request only after connecting,
   * because records for an unavailable broker are retried many times.
   * @throws LeaderUnknownError, or an error from the Kafka client
   */
  produce(leader: number, makeRequest: () => Buffer): Promise<PartitionResult[]>
  close(): Promise<void>
}

const connectTimeoutMs = 3000
/** Maximum number of requests in flight per broker. */
const inflightRequestsMax = 5
/**
 * Metadata older than this is refreshed. If the metadata may be outdated, `refreshAgeMs` applies
 * instead.
 */
const maxAgeMs = 5000
const refreshAgeMs = 100

export function createKafkaCluster(options: KafkaClusterOptions): KafkaCluster {
  const client = openClient(options)
  const metadata = openMetadata(options)
  const connectionTo = createConnectionTo(
    (broker) => client.connections.get({ ...broker }),
    () => performance.now()
  )
  let latest: Cluster | undefined
  let fetchedAt = Number.NEGATIVE_INFINITY
  let fetching: Promise<Cluster> | undefined
  let isSupported = false

  async function fetchNow(): Promise<Cluster> {
    fetchedAt = performance.now()
    latest = await metadata.fetch()
    return latest
  }

  /** Fetches the metadata. Concurrent callers share one request. */
  function fetchOnce(): Promise<Cluster> {
    fetching ??= fetchNow().finally(() => (fetching = undefined))
    return fetching
  }

  /** Starts a fetch without waiting for it. */
  function fetchIfOlderThan(ageMs: number): void {
    if (performance.now() - fetchedAt > ageMs) fetchOnce().catch(() => {})
  }

  function cached(): Cluster | undefined {
    fetchIfOlderThan(maxAgeMs)
    return latest
  }

  const load = async (): Promise<Cluster> => cached() ?? (await fetchOnce())

  async function connect(): Promise<void> {
    await load()
    if (isSupported) return
    requireProduce(await metadata.listApis())
    isSupported = true
  }

  return {
    connect,
    cached,
    load,
    refresh: () => fetchIfOlderThan(refreshAgeMs),
    produce: async (leader, makeRequest) => {
      const broker = latest?.brokers.get(leader)
      if (broker === undefined) throw new LeaderUnknownError()
      const connection = await connectionTo(broker)
      return await exchange(connection, makeRequest())
    },
    close: async () => void (await Promise.all([client.close(), metadata.close()]))
  }
}

/** Thrown if no leader of the partition is known, for example during a leader election. */
class LeaderUnknownError extends Error {
  override readonly name = 'LeaderUnknownError'
  override readonly message = 'the partition has no known leader'
}

/**
 * Opens the client that provides the connections. Its own retries are not used, because
 * `sendWithRetries` retries and knows the deadline.
 */
function openClient(options: KafkaClusterOptions): Base {
  const client = new Base({
    ...connectionOf(options),
    // One attempt may use the whole deadline. With a shorter timeout, retries to a slow broker
    // would write duplicates.
    requestTimeout: options.requestTimeoutMs,
    connectTimeout: connectTimeoutMs,
    maxInflights: inflightRequestsMax
  })
  // Ignored, because a broken connection also rejects its requests.
  client.on('error', () => {})
  return client
}

async function exchange(connection: Connection, request: Buffer): Promise<PartitionResult[]> {
  const { promise, resolve, reject } = Promise.withResolvers<PartitionResult[]>()
  const { key, version } = produceApi
  const payload = createPayload(connection, request)
  const parse = (...answer: readonly [number, number, number, Reader]) =>
    readProduceResponse(answer[3])
  connection.send(
    key,
    version,
    () => payload,
    parse,
    true,
    true,
    (error, answers) => {
      if (error) reject(error)
      else resolve(answers ?? [])
    }
  )
  return await promise
}
