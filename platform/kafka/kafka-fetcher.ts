/** Fetches from the log with @platformatic/kafka: kafkajs cannot, except as a member of a group. */
import { Consumer, findErrorBy } from '@platformatic/kafka'
import { connectionOf } from './producer/kafka-connection.ts'
import type { KafkaConnectionOptions } from './producer/kafka-connection.ts'
import type { LogFetcher, OffsetRange, Stretch } from './log-fetcher.ts'
import { readBatches } from './read-batches.ts'

const connectTimeoutMs = 5000
const requestTimeoutMs = 30_000
const retryDelayMs = 1000
/** A wrong address is told soon; a broker that restarts while one reads is waited for. */
const connectRetries = 2
const readRetries = 30
/** How long a broker waits for something to come. */
const fetchWaitMs = 500
/** Of one partition, and of one answer. A larger batch comes alone. */
const partitionBytesMax = 1024 * 1024
const answerBytesMax = 4 * 1024 * 1024
const places = { end: -1n, start: -2n } as const
const unknownEpoch = -1

type Client = Consumer<Buffer, Buffer, Buffer, Buffer>
type Response = Awaited<ReturnType<Client['fetch']>>
type PartitionAnswer = Response['responses'][number]['partitions'][number]

export function createKafkaFetcher(options: KafkaConnectionOptions): LogFetcher {
  const client = openClient(options)
  const found = new Map<string, Promise<void>>()

  async function find(topic: string): Promise<void> {
    const finding = found.get(topic) ?? findTopic(client, topic)
    found.set(topic, finding)
    await finding
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
    // The client wants one. It is never joined.
    groupId: options.clientId,
    autocreateTopics: false,
    connectTimeout: connectTimeoutMs,
    requestTimeout: requestTimeoutMs,
    timeout: requestTimeoutMs,
    retries: readRetries,
    retryDelay: retryDelayMs
  })
  // What fails is told to whoever asked for it.
  client.on('error', () => {})
  return client
}

async function findTopic(client: Client, topic: string): Promise<void> {
  try {
    await client.metadata({ topics: [topic], retries: connectRetries })
  } catch (cause) {
    const isUnknown = cause instanceof Error && cause.message.startsWith('Unknown topic')
    throw new Error(isUnknown ? `there is no topic ${topic}` : 'Kafka cannot be reached', { cause })
  }
  // What is tracked is what a fetch asks the leaders of, and follows when they change.
  client.topics.track(topic)
}

/** One request to each broker that leads some of the partitions. */
async function fetchRanges(
  client: Client,
  topic: string,
  ranges: readonly OffsetRange[]
): Promise<Stretch[]> {
  const metadata = await client.metadata({ topics: [topic] })
  const { id = '', partitions = [] } = metadata.topics.get(topic) ?? {}
  const byLeader = Map.groupBy(ranges, ({ partition }) => partitions[partition]?.leader ?? -1)
  const answers = await Promise.all(
    [...byLeader].map(([node, led]) =>
      client.fetch({
        ...{ node, minBytes: 1, maxBytes: answerBytesMax, maxWaitTime: fetchWaitMs },
        topics: [{ topicId: id, partitions: led.map(wantedOf) }]
      })
    )
  )
  const found = new Map(
    answers
      .flatMap(({ responses }) => responses)
      .flatMap((answer) => answer.partitions)
      .map((answer) => [answer.partitionIndex, answer])
  )
  return ranges.map((range) => stretchOf(topic, range, found.get(range.partition)))
}

function wantedOf({ partition, from }: OffsetRange) {
  return {
    ...{ partition, fetchOffset: from, partitionMaxBytes: partitionBytesMax },
    ...{ currentLeaderEpoch: unknownEpoch, lastFetchedEpoch: unknownEpoch }
  }
}

/** A broker leaves out the partitions of which it has nothing to say. */
function stretchOf(topic: string, range: OffsetRange, answer: PartitionAnswer | undefined) {
  const aborted = answer?.abortedTransactions ?? []
  return readBatches(answer?.records ?? [], { topic, range, aborted })
}
