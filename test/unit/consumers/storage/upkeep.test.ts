/** The upkeep's clockwork: every minute, each part whatever became of the one before. */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { startUpkeep } from '../../../../consumers/storage/upkeep.ts'
import type { Postgres, Queryable, Row } from '../../../../platform/postgres.ts'
import { RecordingLogger } from '../../platform/recording-logger.ts'
import { RecordingMetrics } from '../recording-metrics.ts'

const longestMs = 70_000

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

/** Has all partitions, and rows in the default one as told; or does not answer. */
class FakePostgres implements Postgres {
  defaultRows = 0
  failure: Error | null = null
  rounds = 0

  async query<R extends Row>(statement: string): Promise<R[]> {
    if (this.failure !== null) throw this.failure
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
  const start = () => startUpkeep({ postgres, logger, metrics, retentionDays: null })
  return { postgres, logger, metrics, start }
}

test('the first round is over before it resolves, others follow until it is stopped', async () => {
  const { postgres, metrics, start } = scene()
  const stop = await start()
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
  expect(logger.entries.map(({ message }) => message)).toEqual([
    'could not make partitions; trying again in a minute',
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
    if (!statement.includes('delete from')) return []
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
