/** Tests the maintenance schedule: all tasks run every minute, even if an earlier one failed. */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { startMaintenance } from '../../../../../consumers/storage/maintenance/maintenance.ts'
import type { Postgres, Queryable, Row } from '../../../../../platform/postgres/postgres.ts'
import { RecordingLogger } from '../../../platform/recording-logger.ts'
import { RecordingMetrics } from '../../recording-metrics.ts'

const longestMs = 70_000

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

/**
 * A fake Postgres that lacks one partition and has `defaultRows` rows in the default partition. Its
 * queries throw `failure` if it is set.
 */
class FakePostgres implements Postgres {
  defaultRows = 0
  failure: Error | null = null
  rounds = 0
  made = 0
  /** Deletions wait for this promise. */
  deletion = Promise.resolve()

  async query<R extends Row>(statement: string): Promise<R[]> {
    if (this.failure !== null) throw this.failure
    if (statement.includes('is_locked')) return [{ is_locked: true }] as unknown as R[]
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
    startMaintenance({ postgres, logger, metrics, retentionDays })
  return { postgres, logger, metrics, start }
}

test('resolves when the partitions exist, without waiting for other tasks', async () => {
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

test('starts a round at once, and others until it is stopped', async () => {
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
])('logs and measures %i rows in the default partition', async (defaultRows, logged) => {
  const { postgres, logger, metrics, start } = scene()
  postgres.defaultRows = defaultRows
  await (
    await start()
  )()
  expect(metrics.levelOf('sluice_storage_default_partition_rows')).toBe(defaultRows)
  expect(logger.entries).toMatchObject([{ level: 'warn', fields: { rows: logged } }])
})

test('logs the tasks of a failed round, and retries in the next one', async () => {
  const { postgres, logger, start } = scene()
  postgres.failure = new TypeError('away')
  const stop = await start()
  await jest.advanceTimersByTimeAsync(0)
  expect(logger.entries.map(({ message }) => message)).toEqual([
    'cannot create the partitions of these days; retrying in a minute',
    'cannot delete expired sessions; retrying in a minute',
    'cannot create partitions; retrying in a minute',
    'cannot refresh decisions with new plans; retrying in a minute',
    'cannot measure the partitions; retrying in a minute'
  ])
  postgres.failure = null
  await jest.advanceTimersByTimeAsync(longestMs)
  expect(postgres.rounds).toBe(1)
  await stop()
})

test('ends a long round between two transactions when the process stops', async () => {
  const { postgres, logger, metrics } = scene()
  const stopping = new AbortController()
  let deletions = 0
  postgres.query = async <R extends Row>(statement: string): Promise<R[]> => {
    if (statement.includes('is_locked')) return [{ is_locked: true }] as unknown as R[]
    if (!/delete from (?!rule_sets)/.test(statement)) return []
    deletions += 1
    if (deletions === 3) stopping.abort()
    return [{ deleted: 5000 }] as unknown as R[]
  }
  const { signal } = stopping
  const stop = await startMaintenance({ postgres, logger, metrics, retentionDays: 10, signal })
  await stop()
  expect(deletions).toBe(3)
  expect(logger.entries).toMatchObject([{ fields: { rows: 15_000 } }])
})
