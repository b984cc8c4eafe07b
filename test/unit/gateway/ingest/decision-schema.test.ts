/** The id of the decision schema: asked for until it is known, then kept. */
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

test('nothing is known, and nobody asked, before it begins', () => {
  const { schema, registry } = scene()
  expect(schema.id()).toBeNull()
  expect(registry.asked).toEqual([])
})

test('a registry that answers is asked once', async () => {
  const { schema, registry, register, logger } = scene()
  register()
  await schema.learn()
  await schema.learn()
  expect(schema.id()).toBe(7)
  expect(registry.asked).toEqual(['decisions-value'])
  expect(logger.entries.map(({ level }) => level)).toEqual(['info'])
})

test.each([
  ['knows no such schema', null],
  ['does not answer', new Error('away')]
])('one that %s is asked again until it does', async (_what, failure) => {
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

test('the id never changes again', async () => {
  const { schema, registry, register } = scene()
  register()
  await schema.learn()
  registry.ids.set('decisions-value', 8)
  registry.failure = new Error('away')
  await schema.learn()
  expect(schema.id()).toBe(7)
})

test('it asks no more once it is stopped', async () => {
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
