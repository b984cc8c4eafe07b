/** Kafka fetcher: reads partitions with @platformatic/kafka, because kafkajs can fetch only as a
 * group member.
 */
import { Consumer, findErrorBy } from '@platformatic/kafka'
import { connectionOf } from './producer/kafka-connection.ts'
import type { KafkaConnectionOptions } from './producer/kafka-connection.ts'
import type { TopicFetcher, OffsetRange, FetchedRange } from './topic-fetcher.ts'
import { readBatches } from './read-batches.ts'

const connectTimeoutMs = 5000
const requestTimeoutMs = 30_000
const retryDelayMs = 1000
/**
 * Number of retries when a topic is first looked up. It is low, so that a wrong address fails
 * quickly. `readRetries` is higher, so that a read survives a broker restart.
 */
const connectRetries = 2
const readRetries = 30
/** Maximum time a broker waits for new records before it responds. */
const fetchWaitMs = 500
/**
 * Maximum number of bytes per partition; `answerBytesMax` limits the whole response. A batch larger
 * than the limit is returned alone.
 */
const partitionBytesMax = 1024 * 1024
const answerBytesMax = 4 * 1024 * 1024
const places = { end: -1n, start: -2n } as const
const unknownEpoch = -1

type Client = Consumer<Buffer, Buffer, Buffer, Buffer>
type Response = Awaited<ReturnType<Client['fetch']>>
type PartitionAnswer = Response['responses'][number]['partitions'][number]

export function createKafkaFetcher(options: KafkaConnectionOptions): TopicFetcher {
  const client = openClient(options)
  const found = new Map<string, Promise<void>>()

  /** Looks up each topic once. After a failure, the next call looks it up again. */
  async function find(topic: string): Promise<void> {
    const finding = found.get(topic) ?? findTopic(client, topic)
    found.set(topic, finding)
    await finding.catch((error: unknown) => {
      found.delete(topic)
      throw error
    })
  }

  return {
    offsets: async (topic, at) => {
      await find(topic)
      const timestamp = typeof at === 'bigint' ? at : places[at]
      return (await client.listOffsets({ topics: [topic], timestamp })).get(topic) ?? []
    },
    fetch: async (topic, ranges) => {
      await find(topic)
      try {
        return await fetchRanges(client, topic, ranges)
      } catch (error) {
        if (findErrorBy(error as Error, 'apiId', 'OFFSET_OUT_OF_RANGE') === null) throw error
        return 'out of range'
      }
    },
    close: async () => void (await client.close(true))
  }
}

function openClient(options: KafkaConnectionOptions): Client {
  const client: Client = new Consumer({
    ...connectionOf(options),
    // Required by the library, although this client joins no group.
    groupId: options.clientId,
    autocreateTopics: false,
    connectTimeout: connectTimeoutMs,
    requestTimeout: requestTimeoutMs,
    timeout: requestTimeoutMs,
    retries: readRetries,
    retryDelay: retryDelayMs
  })
  // Ignored, because the error also rejects the request.
  client.on('error', () => {})
  return client
}

async function findTopic(client: Client, topic: string): Promise<void> {
  try {
    await client.metadata({ topics: [topic], retries: connectRetries })
  } catch (cause) {
    const isUnknown = cause instanceof Error && cause.message.startsWith('Unknown topic')
    throw new Error(isUnknown ? `topic ${topic} does not exist` : 'Kafka is unreachable', { cause })
  }
  // `fetch` finds partition leaders only for tracked topics.
  client.topics.track(topic)
}

/** Sends one request to each broker that leads at least one of the partitions. */
async function fetchRanges(
  client: Client,
  topic: string,
  ranges: readonly OffsetRange[]
): Promise<FetchedRange[]> {
  const metadata = await client.metadata({ topics: [topic] })
  const { id = '', partitions = [] } = metadata.topics.get(topic) ?? {}
  const byLeader = Map.groupBy(ranges, ({ partition }) => partitions[partition]?.leader ?? -1)
  const answers = await Promise.all(
    [...byLeader].map(([node, led]) =>
      client.fetch({
        node,
        minBytes: 1,
        maxBytes: answerBytesMax,
        maxWaitTime: fetchWaitMs,
        topics: [{ topicId: id, partitions: led.map(fetchRequestOf) }]
      })
    )
  )
  const found = new Map(
    answers
      .flatMap(({ responses }) => responses)
      .flatMap((answer) => answer.partitions)
      .map((answer) => [answer.partitionIndex, answer])
  )
  return ranges.map((range) => fetchedRangeOf(topic, range, found.get(range.partition)))
}

function fetchRequestOf({ partition, from }: OffsetRange) {
  return {
    partition,
    fetchOffset: from,
    partitionMaxBytes: partitionBytesMax,
    currentLeaderEpoch: unknownEpoch,
    lastFetchedEpoch: unknownEpoch
  }
}

/** Converts the response for one range. Brokers omit partitions without new records. */
function fetchedRangeOf(topic: string, range: OffsetRange, answer: PartitionAnswer | undefined) {
  const aborted = answer?.abortedTransactions ?? []
  return readBatches(answer?.records ?? [], { topic, range, aborted })
}
