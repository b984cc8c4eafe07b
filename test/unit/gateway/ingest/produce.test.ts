/** Tests producing: batches, acknowledgements and the deadline. */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { Problem } from '../../../../core/problem.ts'
import { DecisionBatch } from '../../../../gateway/ingest/decision-batch.ts'
import { PartialSendError, ProduceError } from '../../../../platform/kafka/record-producer.ts'
import { problemOf } from '../../api/fakes.ts'
import { RecordingPool } from '../../platform/kafka/producer/records.ts'
import { aRecord, batchOf, rowOf } from './fakes.ts'
import type { FakeProducer } from './fakes.ts'
import { mebibyte, scene, watch } from './produce-scene.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

/** Returns the bytes of each record. */
function bytesOf({ records }: FakeProducer['sends'][number]): Buffer[] {
  const { buffers, starts, ends } = records
  return buffers.map((buffer, index) => buffer.subarray(starts[index], ends[index]))
}

describe('the batch', () => {
  test('contains the records that arrive within the linger time', async () => {
    const { produce, log } = scene()
    const records = [aRecord(1), aRecord(2), aRecord(3)]
    const produced = Promise.all(records.map(produce))
    expect(log.sends).toHaveLength(0)
    await jest.advanceTimersByTimeAsync(3)
    expect(log.sends.map(bytesOf)).toEqual([records])
    log.acknowledge(0)
    await produced
  })

  test('does not contain a record that arrives after the linger time', async () => {
    const { produce, log } = scene()
    const first = watch(produce(aRecord()))
    await jest.advanceTimersByTimeAsync(3)
    const second = watch(produce(aRecord()))
    await jest.advanceTimersByTimeAsync(3)
    log.acknowledge(1)
    await jest.advanceTimersByTimeAsync(0)
    expect([first.state, second.state]).toEqual(['waiting', 'resolved'])
  })

  test('is sent at once when the next record would exceed 4.5 MiB', async () => {
    const { produce, log } = scene()
    void produce(aRecord(4 * mebibyte))
    void produce(aRecord(mebibyte))
    expect(log.sends.map(({ records }) => records.length)).toEqual([1])
    await jest.advanceTimersByTimeAsync(3)
    expect(log.sends.map(({ records }) => records.length)).toEqual([1, 1])
  })

  test('is sent at once when it has 5,000 records', async () => {
    const { produce, log } = scene()
    for (let sent = 0; sent < 5001; sent++) void produce(aRecord(1))
    expect(log.sends.map(({ records }) => records.length)).toEqual([5000])
    await jest.advanceTimersByTimeAsync(3)
    expect(log.sends.map(({ records }) => records.length)).toEqual([5000, 1])
  })

  test('an early batch does not shorten the linger time of the next one', async () => {
    const { produce, log } = scene()
    void produce(aRecord(4 * mebibyte))
    await jest.advanceTimersByTimeAsync(2)
    void produce(aRecord(mebibyte))
    await jest.advanceTimersByTimeAsync(2)
    expect(log.sends).toHaveLength(1)
    await jest.advanceTimersByTimeAsync(1)
    expect(log.sends).toHaveLength(2)
  })
})

describe('the result', () => {
  test('arrives only after the broker has acknowledged the record', async () => {
    const { produce, log, metrics } = scene()
    const produced = watch(produce(aRecord()))
    await jest.advanceTimersByTimeAsync(9000)
    expect(produced.state).toBe('waiting')
    log.acknowledge(0)
    await jest.advanceTimersByTimeAsync(0)
    expect(produced.state).toBe('resolved')
    expect(metrics.observations).toMatchObject([{ name: 'sluice_produce_seconds', labels: {} }])
  })

  test('is a retryable 503 at the deadline, because the write may have succeeded', async () => {
    const { produce } = scene()
    const refused = problemOf(produce(aRecord()))
    await jest.advanceTimersByTimeAsync(10_003)
    const problem = await refused
    expect(problem.code).toBe('log_unavailable')
    expect(problem.options.headers).toEqual({ 'retry-after': '2' })
    expect(problem.options.detail).toContain('same decision_id')
  })

  test.each([
    ['reports a transient error', new PartialSendError(new Map([[0, true]]), null), '2'],
    ['rejects the record permanently', new PartialSendError(new Map([[0, false]]), null), '30'],
    ['is unreachable', new ProduceError('away', { retryable: true, cause: null }), '2'],
    ['fails in another way', new Error('socket'), '2']
  ])('is 503 when the broker %s', async (_what, cause, retryAfter) => {
    const { produce, log, metrics } = scene()
    const refused = problemOf(produce(aRecord()))
    await jest.advanceTimersByTimeAsync(3)
    log.fail(0, cause)
    const problem = await refused
    expect(problem.code).toBe('log_unavailable')
    expect(problem.options.headers).toEqual({ 'retry-after': retryAfter })
    expect(problem.cause).toBe(cause)
    expect(metrics.observations).toEqual([])
  })

  test('is separate for each record of a partly failed batch', async () => {
    const { produceBatch, log } = scene()
    const overLimit = new Problem('rate_limited', { detail: 'No.' })
    const batch = batchOf([{}, { problem: overLimit, record: aRecord() }, {}, {}])
    const produced = produceBatch(batch)
    await jest.advanceTimersByTimeAsync(3)
    expect(log.sends.map(({ records }) => records.length)).toEqual([3])
    const failures = new Map([
      [1, true],
      [2, false]
    ])
    log.fail(0, new PartialSendError(failures, null))
    await produced
    const [first, second, third, fourth] = batch.problems
    expect(first).toBeNull()
    expect(second).toBe(overLimit)
    expect(third?.options.headers).toEqual({ 'retry-after': '2' })
    expect(fourth?.options.headers).toEqual({ 'retry-after': '30' })
  })

  test('is separate for records of one request in several batches', async () => {
    const { produceBatch, log } = scene()
    const keys = [null, 'broker-2', null, 'broker-2']
    const batch = batchOf(keys.map((key) => ({ record: aRecord(100, key) })))
    const produced = produceBatch(batch)
    await jest.advanceTimersByTimeAsync(3)
    log.acknowledge(0)
    log.fail(1, new PartialSendError(new Map([[1, true]]), null))
    await produced
    expect(batch.problems.map((problem) => problem?.code ?? null)).toEqual([
      ...[null, null, null, 'log_unavailable']
    ])
  })

  test('of rejected decisions alone comes at once, without a write', async () => {
    const { produceBatch, log } = scene()
    const invalid = new Problem('invalid_decision', { detail: 'No.' })
    const batch = batchOf([{ problem: invalid }, { problem: invalid }])
    await produceBatch(batch)
    await produceBatch(batchOf([]))
    expect(batch.problems).toEqual([invalid, invalid])
    expect([log.sends, jest.getTimerCount()]).toEqual([[], 0])
  })

  test('does not wait for a broker that stalls with other records', async () => {
    const { produce, log } = scene()
    const stalled = watch(produce(aRecord(100, 'broker-2')))
    const produced = watch(produce(aRecord()))
    await jest.advanceTimersByTimeAsync(3)
    expect(log.sends.map(({ records }) => records.partitions[0])).toEqual([1, -1])
    log.acknowledge(1)
    await jest.advanceTimersByTimeAsync(0)
    expect([stalled.state, produced.state]).toEqual(['waiting', 'resolved'])
  })

  test('of a failed batch is the result of all its records, and of no others', async () => {
    const { produce, log } = scene()
    const failed = [watch(produce(aRecord())), watch(produce(aRecord()))]
    await jest.advanceTimersByTimeAsync(3)
    const other = watch(produce(aRecord()))
    await jest.advanceTimersByTimeAsync(3)
    log.fail(0, new Error('socket'))
    log.acknowledge(1)
    await jest.advanceTimersByTimeAsync(0)
    expect(failed.map(({ state }) => state)).toEqual(['rejected', 'rejected'])
    expect(other.state).toBe('resolved')
  })

  test('does not change after the deadline', async () => {
    const { produce, log } = scene()
    const produced = watch(produce(aRecord()))
    await jest.advanceTimersByTimeAsync(10_003)
    log.acknowledge(0)
    await jest.advanceTimersByTimeAsync(0)
    expect(produced.state).toBe('rejected')
  })

  test.each<[string, Error | null, boolean]>([
    ['is acknowledged', null, true],
    ['fails, because the client may still send the record', new Error('socket'), false]
  ])(
    'decides whether the slab of the records is reused: the write %s',
    async (_what, error, isReused) => {
      const { produceBatch, log } = scene()
      const pool = new RecordingPool()
      const slab = aRecord()
      const batch = new DecisionBatch({ count: 1, pool, slab })
      batch.noteRead(0, rowOf(slab))
      const produced = produceBatch(batch)
      await jest.advanceTimersByTimeAsync(3)
      if (error === null) log.acknowledge(0)
      else log.fail(0, error)
      await produced
      batch.release()
      expect(pool.given).toEqual(isReused ? [slab] : [])
    }
  )

  test('leaves no timer when all records have a result', async () => {
    const { produce, log } = scene()
    const produced = produce(aRecord())
    await jest.advanceTimersByTimeAsync(3)
    log.acknowledge(0)
    await produced
    expect(jest.getTimerCount()).toBe(0)
  })
})
