/** Kafka metadata: fetches partition leaders, even if some partitions have none. */
import { Base } from '@platformatic/kafka'
import { connectionOf } from './kafka-connection.ts'
import type { KafkaConnectionOptions } from './kafka-connection.ts'
import { allErrorsIn } from '../kafka-errors.ts'
import type { NestedError } from '../kafka-errors.ts'

interface TopicMetadata {
  readonly partitionsCount: number
  /** Broker id of the leader, by partition; -1 if there is no leader. */
  readonly partitions: readonly { readonly leader: number }[]
}

export interface BrokerAddress {
  readonly host: string
  readonly port: number
}

export interface Cluster {
  readonly topics: ReadonlyMap<string, TopicMetadata>
  readonly brokers: ReadonlyMap<number, BrokerAddress>
}

export interface KafkaMetadata {
  /** @throws within seconds if no broker responds or a topic does not exist */
  fetch(): Promise<Cluster>
  /** Returns the APIs that the first responding broker supports. */
  listApis(): ReturnType<Base['listApis']>
  close(): Promise<void>
}

export interface KafkaMetadataOptions extends KafkaConnectionOptions {
  readonly topics: readonly string[]
}

/**
 * Timeout per attempt. It is short, so that a frozen broker is skipped and a recovered broker is
 * noticed soon.
 */
const timeoutMs = 2000
/**
 * Number of retries. Each one starts with a different broker, because the first broker in the list
 * may be frozen.
 */
const retries = 2
const retryDelayMs = 50

/**
 * Opens a client with its own connections, so that metadata requests never wait for Produce
 * requests.
 */
export function openMetadata(options: KafkaMetadataOptions): KafkaMetadata {
  const client = new Base({
    ...connectionOf(options),
    connectTimeout: timeoutMs,
    requestTimeout: timeoutMs,
    retries,
    retryDelay: retryDelayMs,
    autocreateTopics: false
  })
  // Ignored, because the error also rejects the request.
  client.on('error', () => {})
  const { topics } = options

  async function fetch(): Promise<Cluster> {
    try {
      return await client.metadata({ topics: [...topics], forceUpdate: true })
    } catch (error) {
      const partial = clusterIn(error, topics)
      if (partial === null) throw error
      return partial
    }
  }

  return {
    fetch,
    listApis: () => client.listApis(),
    close: async () => void (await client.close())
  }
}

interface MetadataResponse {
  readonly brokers: readonly (BrokerAddress & { readonly nodeId: number })[]
  readonly topics: readonly {
    readonly errorCode: number
    readonly name: string
    readonly partitions: readonly { readonly partitionIndex: number; readonly leaderId: number }[]
  }[]
}

interface FetchError extends NestedError {
  readonly response?: Partial<MetadataResponse>
}

/**
 * Returns the metadata attached to an error, because the client throws as soon as one partition has
 * no leader. Returns null if there is no response or a topic is missing.
 */
export function clusterIn(error: unknown, topics: readonly string[]): Cluster | null {
  const answer = responseIn(error as FetchError)
  return answer !== null && isWhole(answer, topics) ? clusterOf(answer) : null
}

function responseIn(error: FetchError): MetadataResponse | null {
  const answers = allErrorsIn(error).map(({ response }) => response)
  return answers.findLast(isResponse) ?? null
}

function isResponse(response: Partial<MetadataResponse> | undefined): response is MetadataResponse {
  return response?.brokers !== undefined && response.topics !== undefined
}

function isWhole(answer: MetadataResponse, topics: readonly string[]): boolean {
  return topics.every((topic) =>
    answer.topics.some(({ name, errorCode }) => name === topic && errorCode === 0)
  )
}

function clusterOf({ brokers, topics }: MetadataResponse): Cluster {
  return {
    brokers: new Map(brokers.map((broker) => [broker.nodeId, broker])),
    topics: new Map(topics.map(({ name, partitions }) => [name, topicOf(partitions)]))
  }
}

function topicOf(found: MetadataResponse['topics'][number]['partitions']): TopicMetadata {
  const partitions = found
    .toSorted((left, right) => left.partitionIndex - right.partitionIndex)
    .map(({ leaderId }) => ({ leader: leaderId }))
  return { partitionsCount: partitions.length, partitions }
}
