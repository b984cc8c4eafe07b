/** Patience: only what may pass is tried again, and the group hears that the member lives. */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { TransientError } from '../../../core/consumed.ts'
import { createPatiently } from '../../../consumers/patiently.ts'
import { RecordingLogger } from '../platform/recording-logger.ts'
import { FakeBatch, messagesOf } from './fakes.ts'
import { RecordingMetrics } from './recording-metrics.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

function scene() {
  const metrics = new RecordingMetrics()
  const logger = new RecordingLogger()
  const batch = new FakeBatch(messagesOf('a'))
  return { patiently: createPatiently({ logger, metrics }), metrics, logger, batch }
}

/** Fails so often with what may pass, then answers "done". */
function failing(times: number) {
  const work = { attempts: 0, run: async () => attempt() }
  function attempt(): string {
    work.attempts += 1
    if (work.attempts <= times) throw new TransientError(`away ${work.attempts}`)
    return 'done'
  }
  return work
}

test('work that succeeds is done once', async () => {
  const { patiently, batch, metrics, logger } = scene()
  const work = failing(0)
  expect(await patiently(batch, work.run)).toBe('done')
  expect(work.attempts).toBe(1)
  expect(metrics.counts).toEqual([])
  expect(logger.entries).toEqual([])
})

test('what may pass is tried again until it succeeds, counted and told each time', async () => {
  const { patiently, batch, metrics, logger } = scene()
  const work = failing(3)
  const answer = patiently(batch, work.run)
  await jest.advanceTimersByTimeAsync(60_000)
  expect(await answer).toBe('done')
  expect(work.attempts).toBe(4)
  const topic = 'agent-decisions'
  expect(metrics.labelsOf('sluice_consumer_retries_total')).toEqual([
    { topic },
    { topic },
    { topic }
  ])
  expect(logger.entries.map(({ fields }) => fields)).toEqual([
    ...[1, 2, 3].map((attempt) => ({ topic, partition: 3, attempt, error: `away ${attempt}` })),
    { topic, partition: 3, attempt: 4 }
  ])
  expect(logger.entries.at(-1)).toMatchObject({ level: 'info', message: 'goes on again' })
})

test('what will not pass is thrown at once', async () => {
  const { patiently, batch, metrics } = scene()
  const bug = new TypeError('a bug')
  await expect(patiently(batch, () => Promise.reject(bug))).rejects.toBe(bug)
  expect(metrics.counts).toEqual([])
})

describe('when the batch is over', () => {
  test('nothing is begun', async () => {
    const { patiently, batch } = scene()
    const work = failing(0)
    batch.isRevoked = true
    expect(await patiently(batch, work.run)).toBe('over')
    expect(work.attempts).toBe(0)
  })

  test('nothing is tried again', async () => {
    const { patiently, batch } = scene()
    const work = failing(Infinity)
    const answer = patiently(batch, work.run)
    await jest.advanceTimersByTimeAsync(0)
    batch.isRevoked = true
    const { attempts } = work
    await jest.advanceTimersByTimeAsync(10_000)
    expect(await answer).toBe('over')
    expect(work.attempts).toBe(attempts)
  })
})

describe('heartbeats', () => {
  test('are sent while the work takes long', async () => {
    const { patiently, batch } = scene()
    const work = Promise.withResolvers<string>()
    const answer = patiently(batch, () => work.promise)
    await jest.advanceTimersByTimeAsync(5000)
    expect(batch.heartbeats).toBe(10)
    work.resolve('done')
    expect(await answer).toBe('done')
  })

  test('are sent through a long outage', async () => {
    const { patiently, batch } = scene()
    const answer = patiently(batch, failing(Infinity).run)
    await jest.advanceTimersByTimeAsync(60_000)
    expect(batch.heartbeats).toBeGreaterThan(10)
    batch.isRevoked = true
    await jest.advanceTimersByTimeAsync(10_000)
    expect(await answer).toBe('over')
  })

  test('one that fails means a rebalance: its error ends the batch', async () => {
    const { patiently, batch } = scene()
    const answer = patiently(batch, () => new Promise<never>(() => {}))
    const ended = expect(answer).rejects.toThrow('rebalancing')
    batch.heartbeatFailure = new Error('rebalancing')
    await jest.advanceTimersByTimeAsync(500)
    await ended
  })

  test('one that fails after the work keeps its result from being settled', async () => {
    const { patiently, batch } = scene()
    batch.heartbeatFailure = new Error('rebalancing')
    await expect(patiently(batch, failing(0).run)).rejects.toThrow('rebalancing')
  })

  test('end with the work, however it ended', async () => {
    const { patiently, batch } = scene()
    await patiently(batch, failing(0).run)
    await patiently(batch, () => Promise.reject(new Error('a bug'))).catch(() => {})
    expect(jest.getTimerCount()).toBe(0)
  })
})
