/** Whether the log can be reached, as readiness sees it. */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { createLogHealth } from '../../../../gateway/ingest/log-health.ts'
import { RecordingLogger } from '../../platform/recording-logger.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

function scene() {
  const probe = {
    asked: 0,
    answer: (): Promise<void> => Promise.resolve(),
    ask: (): Promise<void> => {
      probe.asked += 1
      return probe.answer()
    }
  }
  const logger = new RecordingLogger()
  const producer = {
    connected: 0,
    connect: (): Promise<void> => {
      producer.connected += 1
      return producer.connected === 1 ? Promise.resolve() : new Promise(() => {})
    }
  }
  const health = createLogHealth({ probe, producer, logger })
  return { probe, producer, health, logger }
}

test('is unknown until the log has answered', async () => {
  const { health } = scene()
  expect(health.isHealthy()).toBe(false)
  await jest.advanceTimersByTimeAsync(0)
  expect(health.isHealthy()).toBe(true)
  health.stop()
})

test('one unanswered question is no outage; ten seconds of them are, and it recovers', async () => {
  const { probe, health } = scene()
  await jest.advanceTimersByTimeAsync(0)
  probe.answer = () => Promise.reject(new Error('away'))
  await jest.advanceTimersByTimeAsync(9999)
  expect(health.isHealthy()).toBe(true)
  await jest.advanceTimersByTimeAsync(1)
  expect(health.isHealthy()).toBe(false)
  probe.answer = () => Promise.resolve()
  await jest.advanceTimersByTimeAsync(2000)
  expect(health.isHealthy()).toBe(true)
  health.stop()
})

test('a log that hangs is not asked again meanwhile, and not healthy for ever', async () => {
  const { probe, health } = scene()
  await jest.advanceTimersByTimeAsync(0)
  const frozen = Promise.withResolvers<void>()
  probe.answer = () => frozen.promise
  await jest.advanceTimersByTimeAsync(60_000)
  expect(probe.asked).toBe(2)
  expect(health.isHealthy()).toBe(false)
  frozen.resolve()
  await jest.advanceTimersByTimeAsync(0)
  expect(health.isHealthy()).toBe(true)
  health.stop()
})

test('nothing is asked after the stop', async () => {
  const { probe, health } = scene()
  await jest.advanceTimersByTimeAsync(4000)
  const { asked } = probe
  health.stop()
  await jest.advanceTimersByTimeAsync(60_000)
  expect(probe.asked).toBe(asked)
  expect(jest.getTimerCount()).toBe(0)
})

test('an outage is told when it begins, when its reason changes, and when it ends', async () => {
  const { probe, health, logger } = scene()
  await jest.advanceTimersByTimeAsync(0)
  expect(logger.entries).toEqual([])
  const password = new Error('SASL authentication failed.')
  probe.answer = () => Promise.reject(new Error('connection failed', { cause: password }))
  await jest.advanceTimersByTimeAsync(20_000)
  probe.answer = () => Promise.reject(new Error('refused'))
  await jest.advanceTimersByTimeAsync(20_000)
  probe.answer = () => Promise.resolve()
  await jest.advanceTimersByTimeAsync(20_000)
  health.stop()
  const reason = 'connection failed: SASL authentication failed.'
  expect(logger.entries).toEqual([
    { level: 'warn', fields: { reason }, message: 'the log does not answer' },
    { level: 'warn', fields: { reason: 'refused' }, message: 'the log does not answer' },
    { level: 'info', fields: {}, message: 'the log answers again' }
  ])
})

test('the producer is kept connected while the log answers, and waited for only once', async () => {
  const { probe, producer, health } = scene()
  await jest.advanceTimersByTimeAsync(0)
  expect(producer.connected).toBe(1)
  probe.answer = () => Promise.reject(new Error('away'))
  await jest.advanceTimersByTimeAsync(10_000)
  expect(producer.connected).toBe(1)
  probe.answer = () => Promise.resolve()
  await jest.advanceTimersByTimeAsync(20_000)
  expect(producer.connected).toBe(11)
  expect(health.isHealthy()).toBe(true)
  health.stop()
})
