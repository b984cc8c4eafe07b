/** Partitions: made ahead before the first decision comes, and every hour from then on. */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { startPartitions } from '../../../../consumers/storage/partitions.ts'
import type { Queryable, Row } from '../../../../platform/postgres.ts'
import { RecordingLogger } from '../../platform/recording-logger.ts'

const hourMs = 3_600_000

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

class FakePostgres implements Queryable {
  readonly asked: (readonly unknown[])[] = []
  failure: Error | null = null

  async query<R extends Row>(_statement: string, values: readonly unknown[] = []): Promise<R[]> {
    this.asked.push(values)
    if (this.failure !== null) throw this.failure
    return []
  }
}

function scene() {
  const postgres = new FakePostgres()
  const logger = new RecordingLogger()
  return { postgres, logger, start: () => startPartitions({ postgres, logger }) }
}

test('yesterday and a week ahead are there before it resolves', async () => {
  const { postgres, start } = scene()
  const stop = await start()
  expect(postgres.asked).toEqual([[1, 7]])
  stop()
})

test('they are made again every hour until it is stopped', async () => {
  const { postgres, start } = scene()
  const stop = await start()
  await jest.advanceTimersByTimeAsync(2 * hourMs)
  expect(postgres.asked).toHaveLength(3)
  stop()
  await jest.advanceTimersByTimeAsync(2 * hourMs)
  expect(postgres.asked).toHaveLength(3)
  expect(jest.getTimerCount()).toBe(0)
})

test('a start that cannot make them goes on: the default partition takes the rows', async () => {
  const { postgres, start } = scene()
  postgres.failure = new Error('away')
  const stop = await start()
  expect(jest.getTimerCount()).toBe(1)
  stop()
})

test('an hour in which they cannot be made is told, and the next one tries again', async () => {
  const { postgres, logger, start } = scene()
  const stop = await start()
  postgres.failure = new Error('away')
  await jest.advanceTimersByTimeAsync(hourMs)
  expect(logger.entries).toMatchObject([{ level: 'warn', fields: { error: new Error('away') } }])
  postgres.failure = null
  await jest.advanceTimersByTimeAsync(hourMs)
  expect(postgres.asked).toHaveLength(3)
  expect(logger.entries).toHaveLength(1)
  stop()
})
