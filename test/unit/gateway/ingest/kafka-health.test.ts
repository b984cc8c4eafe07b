/** Tests the Kafka health check that readiness uses. */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { createKafkaHealth } from '../../../../gateway/ingest/kafka-health.ts'
import { RecordingLogger } from '../../platform/recording-logger.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

function scene() {
  const probe = {
    asked: 0,
    answer: (): Promise<void> => Promise.resolve(),
    check: (): Promise<void> => {
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
  const health = createKafkaHealth({ probe, producer, logger })
  return { probe, producer, health, logger }
}

test('is unhealthy until Kafka has responded', async () => {
  const { health } = scene()
  expect(health.isHealthy()).toBe(false)
  await jest.advanceTimersByTimeAsync(0)
  expect(health.isHealthy()).toBe(true)
  health.stop()
})

test('is healthy after one failed check, unhealthy after ten seconds, and recovers', async () => {
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

test('starts no second check while one hangs, and becomes unhealthy', async () => {
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

test('sends no checks after it is stopped', async () => {
  const { probe, health } = scene()
  await jest.advanceTimersByTimeAsync(4000)
  const { asked } = probe
  health.stop()
  await jest.advanceTimersByTimeAsync(60_000)
  expect(probe.asked).toBe(asked)
  expect(jest.getTimerCount()).toBe(0)
})

test('logs an outage when it begins, when its reason changes, and when it ends', async () => {
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
    { level: 'warn', fields: { reason }, message: 'Kafka unavailable' },
    { level: 'warn', fields: { reason: 'refused' }, message: 'Kafka unavailable' },
    { level: 'info', fields: {}, message: 'Kafka available again' }
  ])
})

test('keeps the producer connected, and waits only for its first connection', async () => {
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
