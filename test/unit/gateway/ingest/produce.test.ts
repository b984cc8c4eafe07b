/** produce: batches, the broker's word, the deadline, and memory that has an end. */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { Problem } from '../../../../core/problem.ts'
import { createProduce } from '../../../../gateway/ingest/produce.ts'
import { PartialSendError, ProduceError } from '../../../../platform/kafka/record-producer.ts'
import { RecordingMetrics } from '../../consumers/recording-metrics.ts'
import { problemOf } from '../../api/fakes.ts'
import { aRecord, FakeLog } from './fakes.ts'

const overheadBytes = 512
const mebibyte = 1024 * 1024

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

function scene(overrides: { inFlightBytesMax?: number } = {}) {
  const log = new FakeLog()
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

/** Tells whether a promise has settled, without waiting for it. */
function watch(promise: Promise<void>): { state: 'waiting' | 'resolved' | 'rejected' } {
  const seen: { state: 'waiting' | 'resolved' | 'rejected' } = { state: 'waiting' }
  promise.then(
    () => (seen.state = 'resolved'),
    () => (seen.state = 'rejected')
  )
  return seen
}

describe('the batch', () => {
  test('records that come within the linger travel together', async () => {
    const { produce, log } = scene()
    const records = [aRecord(), aRecord(), aRecord()]
    const produced = Promise.all(records.map(produce))
    expect(log.sends).toHaveLength(0)
    await jest.advanceTimersByTimeAsync(3)
    expect(log.sends.map((send) => send.records)).toMatchObject([records])
    log.acknowledge(0)
    await produced
  })

  test('a record that comes after the linger travels in the next', async () => {
    const { produce, log } = scene()
    const first = watch(produce(aRecord()))
    await jest.advanceTimersByTimeAsync(3)
    const second = watch(produce(aRecord()))
    await jest.advanceTimersByTimeAsync(3)
    log.acknowledge(1)
    await jest.advanceTimersByTimeAsync(0)
    expect([first.state, second.state]).toEqual(['waiting', 'resolved'])
  })

  test('is sent at once when the next record would take it over 4.5 MiB', async () => {
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

  test('the linger of a batch that was sent early does not cut the next one short', async () => {
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

describe('the answer', () => {
  test('comes only after the broker acknowledged', async () => {
    const { produce, log, metrics } = scene()
    const produced = watch(produce(aRecord()))
    await jest.advanceTimersByTimeAsync(9000)
    expect(produced.state).toBe('waiting')
    log.acknowledge(0)
    await jest.advanceTimersByTimeAsync(0)
    expect(produced.state).toBe('resolved')
    expect(metrics.observations).toMatchObject([{ name: 'sluice_produce_seconds', labels: {} }])
  })

  test('is 503 at the deadline, since nobody knows, and may be sent again', async () => {
    const { produce } = scene()
    const refused = problemOf(produce(aRecord()))
    await jest.advanceTimersByTimeAsync(10_003)
    const problem = await refused
    expect(problem.code).toBe('log_unavailable')
    expect(problem.options.headers).toEqual({ 'retry-after': '2' })
    expect(problem.options.detail).toContain('same decision_id')
  })

  test.each([
    ['may take it later', new PartialSendError(new Map([[0, true]]), null), '2'],
    ['will refuse it again', new PartialSendError(new Map([[0, false]]), null), '30'],
    ['cannot be reached', new ProduceError('away', { retryable: true, cause: null }), '2'],
    ['broke in another way', new Error('socket'), '2']
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

  test('of a batch that failed in part is for each record its own', async () => {
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

  test('does not wait for a broker that stalls with the records of another', async () => {
    const { produce, log } = scene()
    const stalled = watch(produce(aRecord(100, 'broker-2')))
    const produced = watch(produce(aRecord()))
    await jest.advanceTimersByTimeAsync(3)
    expect(log.sends.map(({ records }) => records[0]?.partition)).toEqual([1, 0])
    log.acknowledge(1)
    await jest.advanceTimersByTimeAsync(0)
    expect([stalled.state, produced.state]).toEqual(['waiting', 'resolved'])
  })

  test('of a batch that failed is the answer to all in it, and to nobody else', async () => {
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

  test('an acknowledgement after the deadline changes no answer', async () => {
    const { produce, log } = scene()
    const produced = watch(produce(aRecord()))
    await jest.advanceTimersByTimeAsync(10_003)
    log.acknowledge(0)
    await jest.advanceTimersByTimeAsync(0)
    expect(produced.state).toBe('rejected')
  })

  test('no timer is left once everything is answered', async () => {
    const { produce, log } = scene()
    const produced = produce(aRecord())
    await jest.advanceTimersByTimeAsync(3)
    log.acknowledge(0)
    await produced
    expect(jest.getTimerCount()).toBe(0)
  })
})

describe('what is in flight', () => {
  const size = 1000 - overheadBytes

  test('is accounted for from the first moment to the acknowledgement', async () => {
    const { produce, log, inFlight } = scene()
    const produced = Promise.all([produce(aRecord(size)), produce(aRecord(size))])
    await jest.advanceTimersByTimeAsync(3)
    expect(inFlight()).toEqual([2000, 2])
    log.acknowledge(0)
    await produced
    await jest.advanceTimersByTimeAsync(0)
    expect(inFlight()).toEqual([0, 0])
  })

  test('has a limit: over it the answer is 503 at once, and the log is not asked', async () => {
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

  test('counts on after the deadline, until the client lets go of the records', async () => {
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
  test('sends what waits for company and resolves once it is acknowledged', async () => {
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

  test('waits for what is on its way already, and does not mind that it fails', async () => {
    const { produce, drain, log } = scene()
    const produced = watch(produce(aRecord()))
    await jest.advanceTimersByTimeAsync(3)
    const drained = watch(drain())
    log.fail(0, new Error('socket'))
    await jest.advanceTimersByTimeAsync(0)
    expect([produced.state, drained.state]).toEqual(['rejected', 'resolved'])
  })

  test('has nothing to wait for when nothing was produced', async () => {
    await scene().drain()
  })
})
