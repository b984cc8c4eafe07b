/** Creates day partitions of decisions and evaluations, both in advance and for rows in the default
 * partitions.
 */
import type { Logger } from '../../../platform/telemetry/logger.ts'
import { isTransientPostgresError } from '../../../platform/postgres/postgres.ts'
import type { Postgres, Queryable } from '../../../platform/postgres/postgres.ts'
import { retry } from '../../../platform/process/retry.ts'

export interface MaintenanceDependencies {
  readonly postgres: Postgres
  readonly logger: Logger
  /** Stops a round between two transactions, because a round may have hundreds of them. */
  readonly signal?: AbortSignal
  /** Monotonic clock, in milliseconds. */
  readonly now?: () => number
}

/** Tables partitioned by the UTC day of `received_at`. */
export const tablesByDay = ['decisions', 'evaluations'] as const

/** Number of past days that need a partition. One, because the clock of a gateway may be behind. */
const daysBehind = 1
export const daysAhead = 7
/**
 * Maximum number of partitions that a round creates per table for misplaced rows, which may have
 * any date.
 */
const strayDaysMax = 20
/**
 * Maximum number of misplaced rows to read per table and round. Later rounds find the remaining
 * days, because each round moves the rows of the days that it finds.
 */
const strayRowsMax = 10_000
const attemptsMax = 5
const backoff = { baseMs: 100, capMs: 2000 }
/**
 * Maximum time that maintenance waits for a lock. Short, because readers and writers of decisions
 * queue behind the waiting transaction.
 */
const lockTimeoutMs = 500
/** Tries to take the lock that ensure_day_partition also takes. */
const tryLock = `select pg_try_advisory_xact_lock(
                           hashtextextended('sluice decisions partitions', 0)) as is_locked`

/**
 * Creates the partitions of the days around today. Uses the Postgres clock, because all
 * instances share it.
 */
export async function makeDaysAround(dependencies: MaintenanceDependencies): Promise<void> {
  await makeDays(dependencies, await daysAround(dependencies.postgres))
}

/**
 * Creates the partitions of the days around today, and of days with rows in the default partition.
 * Such rows usually come from a gateway with a wrong clock.
 */
export async function makePartitions(dependencies: MaintenanceDependencies): Promise<void> {
  const { postgres } = dependencies
  await makeDays(dependencies, [...(await daysAround(postgres)), ...(await strayDays(postgres))])
}

async function makeDays(
  dependencies: MaintenanceDependencies,
  days: readonly Day[]
): Promise<void> {
  const { logger } = dependencies
  for (const { name: table, day } of days) {
    const moved = await withMaintenanceLock(dependencies, (transaction) =>
      makeDay(transaction, table, day)
    )
    if (moved === null) continue
    if (moved === 0) logger.info({ table, day }, 'created a day partition')
    else logger.warn({ table, day, rows: moved }, 'moved rows out of the default partition')
  }
}

/**
 * Runs a transaction under the maintenance lock, and retries transient errors. Limits the wait for
 * other locks, because readers and writers queue behind the waiting transaction.
 * @returns null if another instance holds the maintenance lock, or if the process stops
 * @throws the last error after several attempts, or any error that is not transient
 */
export async function withMaintenanceLock<R>(
  { postgres, signal }: Pick<MaintenanceDependencies, 'postgres' | 'signal'>,
  work: (transaction: Queryable) => Promise<R>
): Promise<R | null> {
  return await retry({ backoff, attemptsMax, isTransient: isTransientPostgresError }, async () => {
    if (signal?.aborted === true) return null
    return await postgres.transaction(async (transaction) => {
      await transaction.query(`set local lock_timeout = ${lockTimeoutMs}`)
      const [lock] = await transaction.query<{ is_locked: boolean }>(tryLock)
      return lock?.is_locked === true ? await work(transaction) : null
    })
  })
}

/**
 * Creates a day partition.
 * @returns the number of rows moved out of the default partition, or null if the partition already
 * existed
 */
async function makeDay(transaction: Queryable, table: string, day: string): Promise<number | null> {
  const [row] = await transaction.query<{ moved: number | null }>(
    `select ensure_day_partition($1, $2::date) as moved`,
    [table, day]
  )
  return row?.moved ?? null
}

interface Day extends Record<string, unknown> {
  /** Name of the partitioned table. */
  readonly name: string
  /** Date in the format `2025-01-15`. */
  readonly day: string
}

/** Returns the days around today that have no partition. */
async function daysAround(postgres: Queryable): Promise<Day[]> {
  return await postgres.query<Day>(
    `select name, to_char(day, 'YYYY-MM-DD') as day
       from unnest($1::text[]) as name
      cross join generate_series((now() at time zone 'utc')::date - $2::integer,
                                 (now() at time zone 'utc')::date + $3::integer,
                                 interval '1 day') as day
      where to_regclass(name || '_' || to_char(day, 'YYYYMMDD')) is null
      order by day, name`,
    [tablesByDay, daysBehind, daysAhead]
  )
}

async function strayDays(postgres: Queryable): Promise<Day[]> {
  const days: Day[] = []
  for (const name of tablesByDay) {
    const rows = await postgres.query<Pick<Day, 'day'>>(
      `select distinct to_char(received_at at time zone 'utc', 'YYYY-MM-DD') as day
         from (select received_at from ${name}_default limit $1) as stray
        order by day
        limit $2`,
      [strayRowsMax, strayDaysMax]
    )
    days.push(...rows.map(({ day }) => ({ name, day })))
  }
  return days
}
