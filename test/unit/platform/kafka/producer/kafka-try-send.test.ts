/** Tests one attempt to send: which broker gets which records, and the result of each record. */
import { describe, expect, test } from '@jest/globals'
import { NetworkError, Reader, readRecordsBatch, UserError } from '@platformatic/kafka'
import type { KafkaCluster } from '../../../../../platform/kafka/producer/kafka-cluster.ts'
import type { Cluster } from '../../../../../platform/kafka/producer/kafka-metadata.ts'
import type { PartitionResult } from '../../../../../platform/kafka/producer/kafka-produce-request.ts'
import { createTrySend } from '../../../../../platform/kafka/producer/kafka-try-send.ts'
import type { RoutedRecord } from '../../../../../platform/kafka/record-producer.ts'
import { noon } from '../../../../support/builders.ts'

type Answer = (partition: number) => number | Error | null

/** Broker 1 leads partitions 0 and 1; broker 2 leads the others. */
const leaders = [1, 1, 2, 2]

class FakeCluster implements KafkaCluster {
  readonly sent: { leader: number; partitions: number[]; values: string[] }[] = []
  refreshes = 0
  readonly #answer: Answer
  readonly #error: Error | null

  constructor(answer: Answer, error: Error | null = null) {
    this.#answer = answer
    this.#error = error
  }

  connect = () => Promise.resolve()
  close = () => Promise.resolve()
  refresh = () => void (this.refreshes += 1)
  cached = (): Cluster => {
    const partitions = leaders.map((leader) => ({ leader }))
    const topics = new Map([['t', { partitions, partitionsCount: leaders.length }]])
    return { topics, brokers: new Map() }
  }
  load = () => (this.#error === null ? Promise.resolve(this.cached()) : Promise.reject(this.#error))

  produce(leader: number, makeRequest: () => Buffer): Promise<PartitionResult[]> {
    const found = partitionsIn(makeRequest())
    const partitions = found.map(({ partition }) => partition)
    this.sent.push({ leader, partitions, values: found.flatMap(({ values }) => values) })
    const answers: PartitionResult[] = []
    for (const partition of partitions) {
      const answer = this.#answer(partition)
      if (answer instanceof Error) return Promise.reject(answer)
      if (answer !== null) answers.push({ topic: 't', partition, errorCode: answer })
    }
    return Promise.resolve(answers.toReversed())
  }
}

const beforeTopics = 7

function partitionsIn(request: Buffer) {
  const reader = Reader.from(request).skip(beforeTopics)
  const topics = reader.readArray((topic) => {
    topic.readString()
    return topic.readArray((one) => {
      const partition = one.readInt32()
      const { records } = readRecordsBatch(Reader.from(one.readBytes()))
      return { partition, values: records.map(({ value }) => String(value)) }
    })
  })
  return topics.flat()
}

function recordOf(text: string, partition: number, key: string | null = null): RoutedRecord {
  const bytes = key === null ? null : Buffer.from(key)
  return { topic: 't', key: bytes, value: Buffer.from(text), headers: {}, partition }
}

function trySend(cluster: KafkaCluster, records: readonly RoutedRecord[]) {
  return createTrySend(cluster, { timeoutMs: 1000, clock: { now: () => noon } })(records)
}

const four = ['a', 'b', 'c', 'd'].map((text, index) => recordOf(text, [0, 2, 1, 0][index] ?? 0))

describe('an acknowledged record', () => {
  test('is sent to the leader of its partition, in one request per leader', async () => {
    const cluster = new FakeCluster(() => 0)
    expect(await trySend(cluster, four)).toBeNull()
    expect(cluster.sent).toEqual([
      { leader: 1, partitions: [0, 1], values: ['a', 'd', 'c'] },
      { leader: 2, partitions: [2], values: ['b'] }
    ])
    expect(cluster.refreshes).toBe(0)
  })

  test('is sent to the partition of its key if it was not routed before', async () => {
    const cluster = new FakeCluster(() => 0)
    expect(
      await trySend(cluster, [recordOf('a', -1, 'refund-agent'), recordOf('b', -1)])
    ).toBeNull()
    expect(cluster.sent.map(({ partitions }) => partitions)).toEqual([[3], [0]])
  })
})

describe('a failed record', () => {
  test('is reported with its result', async () => {
    const cluster = new FakeCluster((partition) => [0, 10, 29][partition] ?? null)
    const tried = await trySend(cluster, four)
    expect(tried?.results).toEqual(['acknowledged', 'refused', 'divisible', 'acknowledged'])
    expect((tried?.cause as Error).message).toBe(
      'the broker responded with MESSAGE_TOO_LARGE for partition 1'
    )
    // The error does not indicate a new leader, so the metadata is not refreshed.
    expect(cluster.refreshes).toBe(0)
  })

  test('of an unavailable broker does not affect records of another', async () => {
    const cluster = new FakeCluster((partition) => (partition === 2 ? new NetworkError('gone') : 0))
    const tried = await trySend(cluster, four)
    expect(tried?.results).toEqual(['acknowledged', 'unknown', 'acknowledged', 'acknowledged'])
    expect(tried?.cause).toBeInstanceOf(NetworkError)
    expect(cluster.refreshes).toBe(1)
  })

  test('missing in the response is unknown', async () => {
    const cluster = new FakeCluster((partition) => (partition === 1 ? null : 0))
    const tried = await trySend(cluster, four)
    expect(tried?.results[2]).toBe('unknown')
    expect((tried?.cause as Error).message).toContain('the broker responded with nothing')
  })

  test.each([
    [new NetworkError('nobody'), 'unknown'],
    [new UserError('no such mechanism'), 'refused']
  ])('after %s, before any request was sent, is %s', async (error, verdict) => {
    const cluster = new FakeCluster(() => 0, error)
    const tried = await trySend(cluster, four)
    expect(tried).toEqual({ results: four.map(() => verdict), cause: error })
    expect(cluster.sent).toEqual([])
  })

  test('without a connection costs no request', async () => {
    const cluster = new FakeCluster(() => 0)
    cluster.produce = () => Promise.reject(new NetworkError('refused'))
    const stamps: number[] = []
    const clock = { now: () => stamps.push(noon) }
    const tried = await createTrySend(cluster, { timeoutMs: 1000, clock })(four)
    expect(tried?.results).toEqual(four.map(() => 'unknown'))
    expect(stamps).toEqual([])
  })

  test('of a topic that is not configured is unknown', async () => {
    const tried = await trySend(new FakeCluster(() => 0), [{ ...recordOf('a', 0), topic: 'other' }])
    expect(tried?.results).toEqual(['unknown'])
    expect((tried?.cause as Error).message).toBe('topic "other" is not configured')
  })
})
