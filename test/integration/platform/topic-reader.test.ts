/** Tests reading a topic without a group, on a real broker. */
import { beforeAll, describe, expect, test } from '@jest/globals'
import { Producer } from '@platformatic/kafka'
import type { CompressionAlgorithmValue } from '@platformatic/kafka'
import { Kafka, logLevel } from 'kafkajs'
import type { Admin } from 'kafkajs'
import { createKafkaFetcher } from '../../../platform/kafka/kafka-fetcher.ts'
import type { OffsetRange, FetchedRange } from '../../../platform/kafka/topic-fetcher.ts'
import type { Message } from '../../../platform/kafka/message-consumer.ts'
import { createTopicReader, messagesOf } from '../../../platform/kafka/topic-reader.ts'
import type { TopicReader } from '../../../platform/kafka/topic-reader.ts'
import { onEnd } from '../../support/cleanup.ts'
import {
  createTopic,
  deleteOnEnd,
  deleteRecords,
  produce,
  uniqueName
} from '../../support/kafka.ts'
import { services } from '../../support/services.ts'
import { waitUntil } from '../../support/wait-until.ts'

const never = new AbortController().signal
let brokers: string[]
let kafka: Kafka
let admin: Admin
let reader: TopicReader

function open(addresses: readonly string[]): TopicReader {
  const opened = createTopicReader(createKafkaFetcher({ brokers: addresses, clientId: 'reader' }))
  onEnd(() => opened.close())
  return opened
}

beforeAll(async () => {
  brokers = services().addresses.kafkaBrokers.split(',')
  kafka = new Kafka({ clientId: 'test', brokers, logLevel: logLevel.NOTHING })
  admin = kafka.admin()
  await admin.connect()
  onEnd(() => admin.disconnect())
  reader = open(brokers)
})

async function fetchedRangesOf(topic: string, ranges?: OffsetRange[]): Promise<FetchedRange[]> {
  const wanted = ranges ?? (await reader.ranges(topic))
  const fetchedRanges: FetchedRange[] = []
  for await (const fetched of reader.read(topic, wanted, never)) fetchedRanges.push(fetched)
  return fetchedRanges
}

async function read(topic: string, ranges?: OffsetRange[]): Promise<Message[]> {
  return (await fetchedRangesOf(topic, ranges)).flatMap(({ messages }) => messages)
}

function textsOf(messages: readonly Message[]): string[] {
  return messages.map(({ partition, value }) => `${partition}:${String(value)}`)
}

function gapsOf(fetchedRanges: readonly FetchedRange[]): string[] {
  return fetchedRanges
    .flatMap(({ gaps }) => gaps)
    .map(({ partition, from, to, kind }) => `${partition}: ${from}-${to} ${kind}`)
}

/** Creates a topic with these values at offsets 0, 1, 2, … of partition 0. */
async function topicOf(...values: string[]): Promise<string> {
  const topic = await createTopic('read')
  await produce(
    topic,
    values.map((value) => ({ value: Buffer.from(value) }))
  )
  return topic
}

describe('reads', () => {
  test('reads the initial content, partition by partition, and leaves no group', async () => {
    const topic = await createTopic('read', { partitions: 3 })
    const places = [2, 0, 2, 1, 0]
    await produce(
      topic,
      places.map((partition, index) => ({
        ...{ partition, key: `k${index}`, value: Buffer.from(`v${index}`) },
        headers: { decision_id: `d${index}` }
      }))
    )
    const ranges = await reader.ranges(topic)
    await produce(topic, [{ partition: 0, value: Buffer.from('later') }])
    const found = await read(topic, ranges)
    expect(textsOf(found)).toEqual(['0:v1', '0:v4', '1:v3', '2:v0', '2:v2'])
    expect(found.map(({ offset }) => offset)).toEqual([0n, 1n, 0n, 0n, 1n])
    expect(String(found[0]?.key)).toBe('k1')
    expect(String(found[0]?.headers['decision_id'])).toBe('d1')
    expect(found[0]?.timestamp).toBeGreaterThan(Date.now() - 60_000)
    const { groups } = await admin.listGroups()
    expect(groups.filter(({ groupId }) => groupId === 'reader')).toEqual([])
  })

  test('reads an empty topic, and null keys and values', async () => {
    const topic = await createTopic('read', { partitions: 2 })
    expect(await fetchedRangesOf(topic)).toEqual([])
    await produce(topic, [{ key: null, value: null, partition: 1 }])
    expect(await read(topic)).toMatchObject([{ key: null, value: null, headers: {} }])
  })

  test('reads from any offset, including the middle of a batch', async () => {
    const topic = await topicOf('a', 'b', 'c', 'd')
    expect(textsOf(await read(topic, [{ partition: 0, from: 1n, to: 3n }]))).toEqual(['0:b', '0:c'])
  })

  test('finds the offset of a time, and none if all messages are older', async () => {
    const topic = await createTopic('read')
    const producer = kafka.producer()
    await producer.connect()
    onEnd(() => producer.disconnect())
    const messages = [1000, 2000, 3000].map((at) => ({ value: `${at}`, timestamp: String(at) }))
    await producer.send({ topic, messages })
    expect(await reader.offsetsAt(topic, 1500)).toEqual([1n])
    expect(await reader.offsetsAt(topic, 0)).toEqual([0n])
    expect(await reader.offsetsAt(topic, 3001)).toEqual([3n])
  })

  test('reads more than one response holds, in bounded parts', async () => {
    const topic = await createTopic('read')
    const value = Buffer.alloc(300_000, 'x')
    for (let index = 0; index < 12; index++) await produce(topic, [{ value }])
    const fetchedRanges = await fetchedRangesOf(topic)
    expect(fetchedRanges.flatMap(({ messages }) => messages)).toHaveLength(12)
    expect(fetchedRanges.length).toBeGreaterThan(2)
  })
})

const algorithms: CompressionAlgorithmValue[] = ['none', 'gzip', 'snappy', 'lz4', 'zstd']

test.each(algorithms)('reads records compressed with %s', async (compression) => {
  const topic = await createTopic('read', { config: { 'compression.type': 'producer' } })
  const producer = new Producer({ clientId: 'test', bootstrapBrokers: brokers, compression })
  onEnd(async () => void (await producer.close()))
  const texts = ['one', 'two', 'x'.repeat(10_000)]
  const messages = texts.map((text) => ({ topic, partition: 0, value: Buffer.from(text) }))
  await producer.send({ messages })
  expect(textsOf(await read(topic))).toEqual(texts.map((text) => `0:${text}`))
})

describe('offsets without a message', () => {
  async function transact(topic: string, value: string, end: 'commit' | 'abort'): Promise<void> {
    const producer = kafka.producer({
      transactionalId: uniqueName('transaction'),
      maxInFlightRequests: 1,
      idempotent: true
    })
    await producer.connect()
    const transaction = await producer.transaction()
    await transaction.send({ topic, messages: [{ value }, { value }] })
    await transaction[end]()
    await producer.disconnect()
  }

  test('skips markers and aborted transactions', async () => {
    const topic = await topicOf('first')
    const steps = [
      ['kept', 'commit', 4n],
      ['aborted', 'abort', 7n],
      ['kept too', 'commit', 10n]
    ] as const
    for (const [text, end, behind] of steps) {
      await transact(topic, text, end)
      // The broker writes the marker of a transaction shortly after it acknowledges the end of the
      // transaction.
      const isMarked = async () => (await reader.ranges(topic))[0]?.to === behind
      await waitUntil(`the marker before ${behind}`, isMarked)
    }
    const fetchedRanges = await fetchedRangesOf(topic)
    const texts = ['first', 'kept', 'kept', 'kept too', 'kept too']
    const found = fetchedRanges.flatMap(({ messages }) => messages)
    expect(textsOf(found)).toEqual(texts.map((text) => `0:${text}`))
    expect(found.map(({ offset }) => offset)).toEqual([0n, 1n, 2n, 7n, 8n])
    expect(gapsOf(fetchedRanges).every((gap) => gap.endsWith('transaction'))).toBe(true)
    const [range] = await reader.ranges(topic)
    expect(fetchedRanges.at(-1)?.to).toBe(range?.to)
    expect(range?.to).toBe(10n)
  })

  test('skips from the middle of an aborted transaction', async () => {
    const topic = await topicOf('first')
    await transact(topic, 'aborted', 'abort')
    await produce(topic, [{ value: Buffer.from('last') }])
    const fetchedRanges = await fetchedRangesOf(topic, [{ partition: 0, from: 2n, to: 5n }])
    expect(textsOf(fetchedRanges.flatMap(({ messages }) => messages))).toEqual(['0:last'])
    expect(gapsOf(fetchedRanges).join()).toMatch(/transaction$/)
  })

  test('reports deleted offsets', async () => {
    const topic = await topicOf('a', 'b', 'c', 'd')
    await deleteRecords(topic, { partition: 0, before: 2n })
    const fetchedRanges = await fetchedRangesOf(topic, [{ partition: 0, from: 0n, to: 4n }])
    expect(gapsOf(fetchedRanges)).toEqual(['0: 0-2 deleted'])
    expect(textsOf(fetchedRanges.flatMap(({ messages }) => messages))).toEqual(['0:c', '0:d'])
    expect(await reader.ranges(topic)).toEqual([{ partition: 0, from: 2n, to: 4n }])
    const gone = await fetchedRangesOf(topic, [{ partition: 0, from: 0n, to: 1n }])
    expect(gapsOf(gone)).toEqual(['0: 0-1 deleted'])
  })

  test('throws for offsets after the end: the topic was created again', async () => {
    const topic = await topicOf('a')
    const behind = fetchedRangesOf(topic, [{ partition: 0, from: 5n, to: 9n }])
    await expect(behind).rejects.toThrow('ends before 5')
  })
})

describe('follows', () => {
  test('follows all partitions until it is stopped', async () => {
    const topic = await createTopic('read', { partitions: 3 })
    await produce(topic, [{ partition: 1, value: Buffer.from('before') }])
    const stop = new AbortController()
    const seen: string[] = []
    const from = (await reader.ranges(topic)).map(({ to }) => to)
    const following = (async () => {
      const messages = messagesOf(reader.follow(topic, from, stop.signal))
      for await (const message of messages) seen.push(...textsOf([message]))
    })()
    await produce(topic, [{ partition: 2, value: Buffer.from('a') }])
    await waitUntil('the first is seen', () => seen.length === 1)
    await produce(topic, [
      { partition: 2, value: Buffer.from('b') },
      { partition: 0, value: Buffer.from('c') }
    ])
    await waitUntil('all are seen', () => seen.length === 3)
    stop.abort()
    await following
    expect(seen.toSorted()).toEqual(['0:c', '2:a', '2:b'])
  })
})

describe('errors', () => {
  test('reports a missing topic, and does not create it', async () => {
    const topic = uniqueName('nowhere')
    await expect(reader.ranges(topic)).rejects.toThrow(`topic ${topic} does not exist`)
    expect(await admin.listTopics()).not.toContain(topic)
  })

  test('finds a topic that was created after it was missing', async () => {
    const topic = uniqueName('later')
    await expect(reader.ranges(topic)).rejects.toThrow(`topic ${topic} does not exist`)
    await admin.createTopics({ topics: [{ topic, numPartitions: 1 }] })
    deleteOnEnd([topic])
    await waitUntil('it is found', async () => {
      const ranges = await reader.ranges(topic).catch(() => [])
      return ranges.length === 1
    })
  })

  test('reports that no broker responds', async () => {
    await expect(open(['127.0.0.1:1']).ranges('any')).rejects.toThrow('Kafka is unreachable')
  })
})
