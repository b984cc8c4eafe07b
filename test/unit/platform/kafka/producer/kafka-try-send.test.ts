/** Tests one attempt to send: which broker gets which records, and the result of each record. */
import { describe, expect, test } from '@jest/globals'
import { NetworkError, Reader, readRecordsBatch, UserError } from '@platformatic/kafka'
import type { KafkaCluster } from '../../../../../platform/kafka/producer/kafka-cluster.ts'
import type { Cluster } from '../../../../../platform/kafka/producer/kafka-metadata.ts'
import type { PartitionResult } from '../../../../../platform/kafka/producer/kafka-produce-request.ts'
import { createTrySend } from '../../../../../platform/kafka/producer/kafka-try-send.ts'
import type { SendAttempt } from '../../../../../platform/kafka/producer/send-with-retries.ts'
import { noon } from '../../../../support/builders.ts'
import { encodedRecordsOf, RecordingPool } from './records.ts'
import type { TestRecord } from './records.ts'

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

function recordOf(text: string, partition: number, key: string | null = null): TestRecord {
  const bytes = key === null ? null : Buffer.from(key)
  return { key: bytes, value: Buffer.from(text), headers: {}, partition }
}

interface TrySendCall {
  readonly cluster: KafkaCluster
  /** Default: `four`. */
  readonly records?: readonly TestRecord[]
  /** Default: all records. */
  readonly indexes?: readonly number[]
  readonly topic?: string
  readonly now?: () => number
  readonly pool?: RecordingPool
}

function trySend(call: TrySendCall): Promise<SendAttempt | null> {
  const { cluster, records = four, topic = 't', now = () => noon } = call
  const { indexes = [...records.keys()], pool = new RecordingPool() } = call
  const attempt = createTrySend(cluster, { topic, timeoutMs: 1000, clock: { now }, pool })
  return attempt(encodedRecordsOf(records), indexes)
}

/** Returns the results of the records at the indexes 0, 1, 2 and so on. */
function resultsOf(tried: SendAttempt | null): unknown[] {
  const entries = [...(tried?.results ?? [])].toSorted(([a], [b]) => a - b)
  expect(entries.map(([index]) => index)).toEqual([...entries.keys()])
  return entries.map(([, result]) => result)
}

const four = ['a', 'b', 'c', 'd'].map((text, index) => recordOf(text, [0, 2, 1, 0][index] ?? 0))

describe('an acknowledged record', () => {
  test('is sent to the leader of its partition, in one request per leader', async () => {
    const cluster = new FakeCluster(() => 0)
    expect(await trySend({ cluster })).toBeNull()
    expect(cluster.sent).toEqual([
      { leader: 1, partitions: [0, 1], values: ['a', 'd', 'c'] },
      { leader: 2, partitions: [2], values: ['b'] }
    ])
    expect(cluster.refreshes).toBe(0)
  })

  test('is sent to the partition of its key if it was not routed before', async () => {
    const cluster = new FakeCluster(() => 0)
    const records = [recordOf('a', -1, 'refund-agent'), recordOf('b', -1)]
    expect(await trySend({ cluster, records })).toBeNull()
    expect(cluster.sent.map(({ partitions }) => partitions)).toEqual([[3], [0]])
  })

  test('is sent without the records that are not in this attempt', async () => {
    const cluster = new FakeCluster(() => 0)
    expect(await trySend({ cluster, indexes: [3, 1] })).toBeNull()
    expect(cluster.sent).toEqual([
      { leader: 1, partitions: [0], values: ['d'] },
      { leader: 2, partitions: [2], values: ['b'] }
    ])
  })
})

describe('a failed record', () => {
  test('is reported with its result', async () => {
    const cluster = new FakeCluster((partition) => [0, 10, 29][partition] ?? null)
    const tried = await trySend({ cluster })
    expect(resultsOf(tried)).toEqual(['acknowledged', 'refused', 'divisible', 'acknowledged'])
    expect((tried?.cause as Error).message).toBe(
      'the broker responded with MESSAGE_TOO_LARGE for partition 1'
    )
    // The error does not indicate a new leader, so the metadata is not refreshed.
    expect(cluster.refreshes).toBe(0)
  })

  test('of an unavailable broker does not affect records of another', async () => {
    const cluster = new FakeCluster((partition) => (partition === 2 ? new NetworkError('gone') : 0))
    const tried = await trySend({ cluster })
    expect(resultsOf(tried)).toEqual(['acknowledged', 'unknown', 'acknowledged', 'acknowledged'])
    expect(tried?.cause).toBeInstanceOf(NetworkError)
    expect(cluster.refreshes).toBe(1)
  })

  test('is reported by its index in the list, if not all records are sent', async () => {
    const cluster = new FakeCluster((partition) => (partition === 1 ? 10 : 0))
    const tried = await trySend({ cluster, indexes: [3, 2] })
    expect(tried?.results).toEqual(
      new Map([
        [3, 'acknowledged'],
        [2, 'divisible']
      ])
    )
  })

  test('missing in the response is unknown', async () => {
    const cluster = new FakeCluster((partition) => (partition === 1 ? null : 0))
    const tried = await trySend({ cluster })
    expect(tried?.results.get(2)).toBe('unknown')
    expect((tried?.cause as Error).message).toContain('the broker responded with nothing')
  })

  test.each([
    [new NetworkError('nobody'), 'unknown'],
    [new UserError('no such mechanism'), 'refused']
  ])('after %s, before any request was sent, is %s', async (error, verdict) => {
    const cluster = new FakeCluster(() => 0, error)
    const tried = await trySend({ cluster })
    expect(resultsOf(tried)).toEqual(four.map(() => verdict))
    expect(tried?.cause).toBe(error)
    expect(cluster.sent).toEqual([])
  })

  test('without a connection costs no request', async () => {
    const cluster = new FakeCluster(() => 0)
    cluster.produce = () => Promise.reject(new NetworkError('refused'))
    const stamps: number[] = []
    const pool = new RecordingPool()
    const tried = await trySend({ cluster, pool, now: () => stamps.push(noon) })
    expect(resultsOf(tried)).toEqual(four.map(() => 'unknown'))
    expect(stamps).toEqual([])
    expect(pool.taken).toEqual([])
  })

  test('of a topic that is not configured is unknown', async () => {
    const cluster = new FakeCluster(() => 0)
    const tried = await trySend({ cluster, records: [recordOf('a', 0)], topic: 'other' })
    expect(resultsOf(tried)).toEqual(['unknown'])
    expect((tried?.cause as Error).message).toBe('topic "other" is not configured')
  })
})

describe('the buffer of a request', () => {
  test('is taken from the pool, and returned only after the response', async () => {
    const cluster = new FakeCluster(() => 0)
    const pool = new RecordingPool()
    const answer = Promise.withResolvers<void>()
    const produce = cluster.produce.bind(cluster)
    cluster.produce = async (leader, makeRequest) => {
      const answers = await produce(leader, makeRequest)
      await answer.promise
      return answers
    }
    const tried = trySend({ cluster, pool })
    await new Promise((resolve) => setImmediate(resolve))
    expect([pool.taken.length, pool.given]).toEqual([2, []])
    answer.resolve()
    await tried
    expect(new Set(pool.given)).toEqual(new Set(pool.taken))
    expect(pool.given).toHaveLength(2)
  })

  test('is returned if the broker rejects the records', async () => {
    const pool = new RecordingPool()
    await trySend({ cluster: new FakeCluster(() => 10), pool })
    expect(pool.given).toHaveLength(2)
  })

  test('is not returned after an error, because the socket may still hold it', async () => {
    const cluster = new FakeCluster((partition) => (partition === 2 ? new NetworkError('gone') : 0))
    const pool = new RecordingPool()
    await trySend({ cluster, pool })
    const [first, second] = pool.taken
    expect(partitionsIn(second as Buffer)).toMatchObject([{ partition: 2 }])
    expect(pool.given).toHaveLength(1)
    expect(pool.given[0]).toBe(first)
  })
})
