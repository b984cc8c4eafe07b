/** The upkeep's clockwork: every minute, each part whatever became of the one before. */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { startUpkeep } from '../../../../../consumers/storage/maintenance/upkeep.ts'
import type { Postgres, Queryable, Row } from '../../../../../platform/postgres/postgres.ts'
import { RecordingLogger } from '../../../platform/recording-logger.ts'
import { RecordingMetrics } from '../../recording-metrics.ts'

const longestMs = 70_000

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

/** Lacks one partition, and has rows in the default one as told; or does not answer. */
class FakePostgres implements Postgres {
  defaultRows = 0
  failure: Error | null = null
  rounds = 0
  made = 0
  /** Whoever deletes waits for it. */
  deletion = Promise.resolve()

  async query<R extends Row>(statement: string): Promise<R[]> {
    if (this.failure !== null) throw this.failure
    if (statement.includes('is_ours')) return [{ is_ours: true }] as unknown as R[]
    if (statement.includes('delete from')) await this.deletion
    if (statement.includes('ensure_day_partition')) this.made += 1
    if (statement.includes('generate_series') && this.made === 0)
      return [{ name: 'decisions', day: '2025-01-15' }] as unknown as R[]
    if (!statement.includes('missing_days')) return []
    this.rounds += 1
    return [{ default_rows: this.defaultRows, missing_days: 2 }] as unknown as R[]
  }

  transaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T> {
    return work(this)
  }

  async close(): Promise<void> {}
}

function scene() {
  const postgres = new FakePostgres()
  const logger = new RecordingLogger()
  const metrics = new RecordingMetrics()
  const start = (retentionDays: number | null = null) =>
    startUpkeep({ postgres, logger, metrics, retentionDays })
  return { postgres, logger, metrics, start }
}

test('partitions are there before it resolves, and nothing else is waited for', async () => {
  const { postgres, start } = scene()
  const { promise, resolve } = Promise.withResolvers<void>()
  postgres.deletion = promise
  const stop = await start(10)
  expect([postgres.made, postgres.rounds]).toEqual([1, 0])
  const stopped = stop()
  await jest.advanceTimersByTimeAsync(longestMs)
  expect(postgres.rounds).toBe(0)
  resolve()
  await stopped
  expect(postgres.rounds).toBe(1)
})

test('a round begins at once, others follow until it is stopped', async () => {
  const { postgres, metrics, start } = scene()
  const stop = await start()
  await jest.advanceTimersByTimeAsync(0)
  expect(postgres.rounds).toBe(1)
  expect(metrics.levelOf('sluice_storage_missing_partitions')).toBe(2)
  expect(metrics.levelOf('sluice_storage_default_partition_rows')).toBe(0)
  await jest.advanceTimersByTimeAsync(longestMs)
  expect(postgres.rounds).toBe(2)
  await stop()
  await jest.advanceTimersByTimeAsync(longestMs)
  expect(postgres.rounds).toBe(2)
  expect(jest.getTimerCount()).toBe(0)
})

test.each([
  [3, 3],
  [10_000, '10000 or more']
])('%i rows in the default partition are told and shown', async (defaultRows, told) => {
  const { postgres, logger, metrics, start } = scene()
  postgres.defaultRows = defaultRows
  await (
    await start()
  )()
  expect(metrics.levelOf('sluice_storage_default_partition_rows')).toBe(defaultRows)
  expect(logger.entries).toMatchObject([{ level: 'warn', fields: { rows: told } }])
})

test('a round that fails is told, and the next one tries again', async () => {
  const { postgres, logger, start } = scene()
  postgres.failure = new TypeError('away')
  const stop = await start()
  await jest.advanceTimersByTimeAsync(0)
  expect(logger.entries.map(({ message }) => message)).toEqual([
    'could not make the partitions of these days; trying again in a minute',
    'could not forget old sessions; trying again in a minute',
    'could not make partitions; trying again in a minute',
    'could not look for plans; trying again in a minute',
    'could not measure the partitions; trying again in a minute'
  ])
  postgres.failure = null
  await jest.advanceTimersByTimeAsync(longestMs)
  expect(postgres.rounds).toBe(1)
  await stop()
})

test('a round of many transactions ends between two of them when the process stops', async () => {
  const { postgres, logger, metrics } = scene()
  const stopping = new AbortController()
  let deletions = 0
  postgres.query = async <R extends Row>(statement: string): Promise<R[]> => {
    if (statement.includes('is_ours')) return [{ is_ours: true }] as unknown as R[]
    if (!/delete from (?!rule_sets)/.test(statement)) return []
    deletions += 1
    if (deletions === 3) stopping.abort()
    return [{ deleted: 5000 }] as unknown as R[]
  }
  const { signal } = stopping
  const stop = await startUpkeep({ postgres, logger, metrics, retentionDays: 10, signal })
  await stop()
  expect(deletions).toBe(3)
  expect(logger.entries).toMatchObject([{ fields: { rows: 15_000 } }])
})
