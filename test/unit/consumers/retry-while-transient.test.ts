/** Tests retries: only transient errors are retried, with heartbeats between the attempts. */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { TransientError } from '../../../core/message-outcome.ts'
import { createRetryWhileTransient } from '../../../consumers/retry-while-transient.ts'
import { RecordingLogger } from '../platform/recording-logger.ts'
import { FakeBatch, messagesOf } from './fakes.ts'
import { RecordingMetrics } from './recording-metrics.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

function scene() {
  const metrics = new RecordingMetrics()
  const logger = new RecordingLogger()
  const batch = new FakeBatch(messagesOf('a'))
  return {
    retryWhileTransient: createRetryWhileTransient({ logger, metrics }),
    metrics,
    logger,
    batch
  }
}

/** Creates work that fails with a transient error this number of times, then returns "done". */
function failing(times: number) {
  const work = { attempts: 0, run: async () => attempt() }
  function attempt(): string {
    work.attempts += 1
    if (work.attempts <= times) throw new TransientError(`away ${work.attempts}`)
    return 'done'
  }
  return work
}

test('runs successful work once', async () => {
  const { retryWhileTransient, batch, metrics, logger } = scene()
  const work = failing(0)
  expect(await retryWhileTransient(batch, work.run)).toBe('done')
  expect(work.attempts).toBe(1)
  expect(metrics.counts).toEqual([])
  expect(logger.entries).toEqual([])
})

test('retries a transient error until it succeeds, and counts and logs each retry', async () => {
  const { retryWhileTransient, batch, metrics, logger } = scene()
  const work = failing(3)
  const answer = retryWhileTransient(batch, work.run)
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
  expect(logger.entries.at(-1)).toMatchObject({ level: 'info', message: 'retry succeeded' })
})

test('throws any other error at once', async () => {
  const { retryWhileTransient, batch, metrics } = scene()
  const bug = new TypeError('a bug')
  await expect(retryWhileTransient(batch, () => Promise.reject(bug))).rejects.toBe(bug)
  expect(metrics.counts).toEqual([])
})

describe('when the batch is over', () => {
  test('starts nothing', async () => {
    const { retryWhileTransient, batch } = scene()
    const work = failing(0)
    batch.isRevoked = true
    expect(await retryWhileTransient(batch, work.run)).toBe('over')
    expect(work.attempts).toBe(0)
  })

  test('stops retrying', async () => {
    const { retryWhileTransient, batch } = scene()
    const work = failing(Infinity)
    const answer = retryWhileTransient(batch, work.run)
    await jest.advanceTimersByTimeAsync(0)
    batch.isRevoked = true
    const { attempts } = work
    await jest.advanceTimersByTimeAsync(10_000)
    expect(await answer).toBe('over')
    expect(work.attempts).toBe(attempts)
  })
})

describe('heartbeats', () => {
  test('are sent during long work', async () => {
    const { retryWhileTransient, batch } = scene()
    const work = Promise.withResolvers<string>()
    const answer = retryWhileTransient(batch, () => work.promise)
    await jest.advanceTimersByTimeAsync(5000)
    expect(batch.heartbeats).toBe(10)
    work.resolve('done')
    expect(await answer).toBe('done')
  })

  test('are sent during a long outage', async () => {
    const { retryWhileTransient, batch } = scene()
    const answer = retryWhileTransient(batch, failing(Infinity).run)
    await jest.advanceTimersByTimeAsync(60_000)
    expect(batch.heartbeats).toBeGreaterThan(10)
    batch.isRevoked = true
    await jest.advanceTimersByTimeAsync(10_000)
    expect(await answer).toBe('over')
  })

  test('that fail because of a rebalance end the batch with their error', async () => {
    const { retryWhileTransient, batch } = scene()
    const answer = retryWhileTransient(batch, () => new Promise<never>(() => {}))
    const ended = expect(answer).rejects.toThrow('rebalancing')
    batch.heartbeatFailure = new Error('rebalancing')
    await jest.advanceTimersByTimeAsync(500)
    await ended
  })

  test('that fail after the work discard its result', async () => {
    const { retryWhileTransient, batch } = scene()
    batch.heartbeatFailure = new Error('rebalancing')
    await expect(retryWhileTransient(batch, failing(0).run)).rejects.toThrow('rebalancing')
  })

  test('end with the work, even after an error', async () => {
    const { retryWhileTransient, batch } = scene()
    await retryWhileTransient(batch, failing(0).run)
    await retryWhileTransient(batch, () => Promise.reject(new Error('a bug'))).catch(() => {})
    expect(jest.getTimerCount()).toBe(0)
  })
})
