/** Tests the memory limit of records in flight, and waiting for them during shutdown. */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { problemOf } from '../../api/fakes.ts'
import { aRecord, batchOf } from './fakes.ts'
import { scene, watch } from './produce-scene.ts'

const overheadBytes = 512

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

describe('in-flight records', () => {
  /** Size of a value whose record counts as 1,000 bytes: its own framing takes 4 bytes. */
  const size = 1000 - overheadBytes - 4

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

  test('are limited for each record of a request', async () => {
    const { produceBatch, log } = scene({ inFlightBytesMax: 2500 })
    const sizes = [size, 2 * size, size, size]
    const batch = batchOf(sizes.map((bytes) => ({ record: aRecord(bytes) })))
    const produced = produceBatch(batch)
    await jest.advanceTimersByTimeAsync(3)
    log.acknowledge(0)
    await produced
    expect(batch.problems.map((problem) => problem?.code ?? null)).toEqual([
      ...[null, null, 'overloaded', 'overloaded']
    ])
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
