/** Whether the log can be reached, as readiness sees it. */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { createLogHealth } from '../../../gateway/log-health.ts'
import { RecordingLogger } from '../platform/recording-logger.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

function scene() {
  const producer = {
    asked: 0,
    answer: (): Promise<void> => Promise.resolve(),
    connect: (): Promise<void> => {
      producer.asked += 1
      return producer.answer()
    }
  }
  const health = createLogHealth({ producer, logger: new RecordingLogger() })
  return { producer, health }
}

test('is unknown until the log has answered', async () => {
  const { health } = scene()
  expect(health.isHealthy()).toBe(false)
  await jest.advanceTimersByTimeAsync(0)
  expect(health.isHealthy()).toBe(true)
  health.stop()
})

test('one unanswered question is no outage; ten seconds of them are, and it recovers', async () => {
  const { producer, health } = scene()
  await jest.advanceTimersByTimeAsync(0)
  producer.answer = () => Promise.reject(new Error('away'))
  await jest.advanceTimersByTimeAsync(9999)
  expect(health.isHealthy()).toBe(true)
  await jest.advanceTimersByTimeAsync(1)
  expect(health.isHealthy()).toBe(false)
  producer.answer = () => Promise.resolve()
  await jest.advanceTimersByTimeAsync(2000)
  expect(health.isHealthy()).toBe(true)
  health.stop()
})

test('a log that hangs is not asked again meanwhile, and not healthy for ever', async () => {
  const { producer, health } = scene()
  await jest.advanceTimersByTimeAsync(0)
  const frozen = Promise.withResolvers<void>()
  producer.answer = () => frozen.promise
  await jest.advanceTimersByTimeAsync(60_000)
  expect(producer.asked).toBe(2)
  expect(health.isHealthy()).toBe(false)
  frozen.resolve()
  await jest.advanceTimersByTimeAsync(0)
  expect(health.isHealthy()).toBe(true)
  health.stop()
})

test('nothing is asked after the stop', async () => {
  const { producer, health } = scene()
  await jest.advanceTimersByTimeAsync(4000)
  const { asked } = producer
  health.stop()
  await jest.advanceTimersByTimeAsync(60_000)
  expect(producer.asked).toBe(asked)
  expect(jest.getTimerCount()).toBe(0)
})
