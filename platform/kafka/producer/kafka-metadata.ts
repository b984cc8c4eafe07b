/** Who leads which partition, as a broker tells it, also while some partitions have no leader. */
import { Base } from '@platformatic/kafka'
import { connectionOf } from './kafka-connection.ts'
import type { KafkaConnectionOptions } from './kafka-connection.ts'
import { allErrorsIn } from '../kafka-errors.ts'
import type { NestedError } from '../kafka-errors.ts'

export interface KnownTopic {
  readonly partitionsCount: number
  /** The broker that leads each partition; -1 where none does. */
  readonly partitions: readonly { readonly leader: number }[]
}

export interface KnownBroker {
  readonly host: string
  readonly port: number
}

export interface Cluster {
  readonly topics: ReadonlyMap<string, KnownTopic>
  readonly brokers: ReadonlyMap<number, KnownBroker>
}

export interface KafkaMetadata {
  /** @throws within seconds when no broker answers, or one that a topic is missing. */
  ask(): Promise<Cluster>
  /** What the broker speaks that answers first. */
  listApis(): ReturnType<Base['listApis']>
  close(): Promise<void>
}

export interface KafkaMetadataOptions extends KafkaConnectionOptions {
  readonly topics: readonly string[]
}

/** Short, so that a broker that comes back is noticed soon, and a frozen one is passed over. */
const timeoutMs = 2000
/** Each begins with another broker: the first of the list may be the one that is frozen. */
const retries = 2
const retryDelayMs = 50

/** On connections of its own: never behind records that wait. */
export function openMetadata(options: KafkaMetadataOptions): KafkaMetadata {
  const client = new Base({
    ...connectionOf(options),
    ...{ connectTimeout: timeoutMs, requestTimeout: timeoutMs },
    ...{ retries, retryDelay: retryDelayMs },
    autocreateTopics: false
  })
  // Whoever asked is told.
  client.on('error', () => {})
  const { topics } = options

  async function ask(): Promise<Cluster> {
    try {
      return await client.metadata({ topics: [...topics], forceUpdate: true })
    } catch (error) {
      const partial = clusterIn(error, topics)
      if (partial === null) throw error
      return partial
    }
  }

  return {
    ask,
    listApis: () => client.listApis(),
    close: async () => void (await client.close())
  }
}

interface MetadataAnswer {
  readonly brokers: readonly (KnownBroker & { readonly nodeId: number })[]
  readonly topics: readonly {
    readonly errorCode: number
    readonly name: string
    readonly partitions: readonly { readonly partitionIndex: number; readonly leaderId: number }[]
  }[]
}

interface AskError extends NestedError {
  readonly response?: Partial<MetadataAnswer>
}

/**
 * What the broker said all the same: to the client an answer is an error as soon as one partition
 * has no leader. Null when it said nothing, or that a topic is missing.
 */
export function clusterIn(error: unknown, topics: readonly string[]): Cluster | null {
  const answer = answerIn(error as AskError)
  return answer !== null && isWhole(answer, topics) ? clusterOf(answer) : null
}

function answerIn(error: AskError): MetadataAnswer | null {
  const answers = allErrorsIn(error).map(({ response }) => response)
  return answers.findLast(isAnswer) ?? null
}

function isAnswer(response: Partial<MetadataAnswer> | undefined): response is MetadataAnswer {
  return response?.brokers !== undefined && response.topics !== undefined
}

function isWhole(answer: MetadataAnswer, topics: readonly string[]): boolean {
  return topics.every((topic) =>
    answer.topics.some(({ name, errorCode }) => name === topic && errorCode === 0)
  )
}

function clusterOf({ brokers, topics }: MetadataAnswer): Cluster {
  return {
    brokers: new Map(brokers.map((broker) => [broker.nodeId, broker])),
    topics: new Map(topics.map(({ name, partitions }) => [name, topicOf(partitions)]))
  }
}

function topicOf(found: MetadataAnswer['topics'][number]['partitions']): KnownTopic {
  const partitions = found
    .toSorted((left, right) => left.partitionIndex - right.partitionIndex)
    .map(({ leaderId }) => ({ leader: leaderId }))
  return { partitionsCount: partitions.length, partitions }
}
