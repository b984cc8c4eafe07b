/** Tests producing: batches, acknowledgements, the deadline and the memory limit. */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { Problem } from '../../../../core/problem.ts'
import { createProduce } from '../../../../gateway/ingest/produce.ts'
import { PartialSendError, ProduceError } from '../../../../platform/kafka/record-producer.ts'
import { RecordingMetrics } from '../../consumers/recording-metrics.ts'
import { problemOf } from '../../api/fakes.ts'
import { aRecord, FakeRoutingProducer } from './fakes.ts'

const overheadBytes = 512
const mebibyte = 1024 * 1024

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

function scene(overrides: { inFlightBytesMax?: number } = {}) {
  const log = new FakeRoutingProducer()
  const metrics = new RecordingMetrics()
  const line = createProduce({
    producer: log,
    metrics,
    lingerMs: 3,
    deadlineMs: 10_000,
    inFlightBytesMax: 64 * mebibyte,
    ...overrides
  })
  const inFlight = () => [
    metrics.levelOf('sluice_produce_in_flight_bytes'),
    metrics.levelOf('sluice_produce_in_flight_records')
  ]
  return { ...line, log, metrics, inFlight }
}

/** Tracks the state of a promise without waiting for it. */
function watch(promise: Promise<void>): { state: 'waiting' | 'resolved' | 'rejected' } {
  const seen: { state: 'waiting' | 'resolved' | 'rejected' } = { state: 'waiting' }
  promise.then(
    () => (seen.state = 'resolved'),
    () => (seen.state = 'rejected')
  )
  return seen
}

describe('the batch', () => {
  test('contains the records that arrive within the linger time', async () => {
    const { produce, log } = scene()
    const records = [aRecord(), aRecord(), aRecord()]
    const produced = Promise.all(records.map(produce))
    expect(log.sends).toHaveLength(0)
    await jest.advanceTimersByTimeAsync(3)
    expect(log.sends.map((send) => send.records)).toMatchObject([records])
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
    const { produceEach, log } = scene()
    const overLimit = new Problem('rate_limited', { detail: 'No.' })
    const produced = produceEach([aRecord(), overLimit, aRecord(), aRecord()])
    await jest.advanceTimersByTimeAsync(3)
    const failures = new Map([
      [1, true],
      [2, false]
    ])
    log.fail(0, new PartialSendError(failures, null))
    const [first, second, third, fourth] = await produced
    expect(first).toBeNull()
    expect(second).toBe(overLimit)
    expect(third?.options.headers).toEqual({ 'retry-after': '2' })
    expect(fourth?.options.headers).toEqual({ 'retry-after': '30' })
  })

  test('does not wait for a broker that stalls with other records', async () => {
    const { produce, log } = scene()
    const stalled = watch(produce(aRecord(100, 'broker-2')))
    const produced = watch(produce(aRecord()))
    await jest.advanceTimersByTimeAsync(3)
    expect(log.sends.map(({ records }) => records[0]?.partition)).toEqual([1, 0])
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

  test('leaves no timer when all records have a result', async () => {
    const { produce, log } = scene()
    const produced = produce(aRecord())
    await jest.advanceTimersByTimeAsync(3)
    log.acknowledge(0)
    await produced
    expect(jest.getTimerCount()).toBe(0)
  })
})

describe('in-flight records', () => {
  const size = 1000 - overheadBytes

  test('are counted from the first moment to the acknowledgement', async () => {
    const { produce, log, inFlight } = scene()
    const produced = Promise.all([produce(aRecord(size)), produce(aRecord(size))])
    await jest.advanceTimersByTimeAsync(3)
    expect(inFlight()).toEqual([2000, 2])
    log.acknowledge(0)
    await produced
    await jest.advanceTimersByTimeAsync(0)
    expect(inFlight()).toEqual([0, 0])
  })

  test('are limited: beyond the limit the result is 503 at once, without a write', async () => {
    const { produce, log } = scene({ inFlightBytesMax: 2500 })
    const taken = [produce(aRecord(size)), produce(aRecord(size))]
    const problem = await problemOf(produce(aRecord(size)))
    expect(problem.code).toBe('overloaded')
    expect(problem.options.headers).toEqual({ 'retry-after': '1' })
    await jest.advanceTimersByTimeAsync(3)
    expect(log.sends.map(({ records }) => records.length)).toEqual([2])
    log.acknowledge(0)
    await Promise.all(taken)
  })

  test('may fill the limit to the last byte', async () => {
    const { produce, inFlight } = scene({ inFlightBytesMax: 2000 })
    void produce(aRecord(size))
    void produce(aRecord(size))
    await jest.advanceTimersByTimeAsync(3)
    expect(inFlight()).toEqual([2000, 2])
  })

  test('count after the deadline, until the client releases the records', async () => {
    const { produce, log, inFlight } = scene({ inFlightBytesMax: 1500 })
    const late = problemOf(produce(aRecord(size)))
    await jest.advanceTimersByTimeAsync(10_003)
    await late
    expect(inFlight()).toEqual([1000, 1])
    expect((await problemOf(produce(aRecord(size)))).code).toBe('overloaded')
    log.fail(0, new Error('gave up'))
    await jest.advanceTimersByTimeAsync(0)
    expect(inFlight()).toEqual([0, 0])
    const recovered = produce(aRecord(size))
    await jest.advanceTimersByTimeAsync(3)
    log.acknowledge(1)
    await recovered
  })
})

describe('drain', () => {
  test('sends open batches and resolves once they are acknowledged', async () => {
    const { produce, drain, log } = scene()
    const produced = watch(produce(aRecord()))
    const drained = watch(drain())
    expect(log.sends).toHaveLength(1)
    await jest.advanceTimersByTimeAsync(1000)
    expect(drained.state).toBe('waiting')
    log.acknowledge(0)
    await jest.advanceTimersByTimeAsync(0)
    expect([produced.state, drained.state]).toEqual(['resolved', 'resolved'])
  })

  test('waits for batches in flight, even if they fail', async () => {
    const { produce, drain, log } = scene()
    const produced = watch(produce(aRecord()))
    await jest.advanceTimersByTimeAsync(3)
    const drained = watch(drain())
    log.fail(0, new Error('socket'))
    await jest.advanceTimersByTimeAsync(0)
    expect([produced.state, drained.state]).toEqual(['rejected', 'resolved'])
  })

  test('returns at once when nothing was produced', async () => {
    await scene().drain()
  })
})
