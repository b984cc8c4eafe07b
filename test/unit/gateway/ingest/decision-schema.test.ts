/** Tests the ID of the decision schema, which is loaded with retries and then cached. */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { createDecisionSchema } from '../../../../gateway/ingest/decision-schema.ts'
import { FakeRegistry } from '../../consumers/fakes.ts'
import { RecordingLogger } from '../../platform/recording-logger.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

function scene() {
  const registry = new FakeRegistry()
  const logger = new RecordingLogger()
  const schema = createDecisionSchema({ registry, topic: 'decisions', logger })
  const register = () => registry.ids.set('decisions-value', 7)
  return { registry, logger, schema, register }
}

test('has no id and sends no request before it begins', () => {
  const { schema, registry } = scene()
  expect(schema.id()).toBeNull()
  expect(registry.asked).toEqual([])
})

test('sends one request to a registry that responds', async () => {
  const { schema, registry, register, logger } = scene()
  register()
  await schema.learn()
  await schema.learn()
  expect(schema.id()).toBe(7)
  expect(registry.asked).toEqual(['decisions-value'])
  expect(logger.entries.map(({ level }) => level)).toEqual(['info'])
})

test.each([
  ['has no such schema', null],
  ['does not answer', new Error('away')]
])('retries a registry that %s', async (_what, failure) => {
  const { schema, registry, register, logger } = scene()
  registry.failure = failure
  const learnt = schema.learn()
  await jest.advanceTimersByTimeAsync(30_000)
  expect(schema.id()).toBeNull()
  expect(registry.asked.length).toBeGreaterThan(3)
  expect(new Set(logger.entries.map(({ level }) => level))).toEqual(new Set(['warn']))
  registry.failure = null
  register()
  await jest.advanceTimersByTimeAsync(5000)
  await learnt
  expect(schema.id()).toBe(7)
})

test('never changes the id', async () => {
  const { schema, registry, register } = scene()
  register()
  await schema.learn()
  registry.ids.set('decisions-value', 8)
  registry.failure = new Error('away')
  await schema.learn()
  expect(schema.id()).toBe(7)
})

test('sends no requests after it is stopped', async () => {
  const { schema, registry } = scene()
  const learnt = schema.learn()
  await jest.advanceTimersByTimeAsync(0)
  schema.stop()
  const asked = registry.asked.length
  await jest.advanceTimersByTimeAsync(60_000)
  await learnt
  expect(registry.asked.length).toBe(asked)
  expect(jest.getTimerCount()).toBe(0)
})
