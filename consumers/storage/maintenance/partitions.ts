/** Makes day partitions of decisions and evaluations, ahead of time and for rows without one. */
import { backoffMs } from '../../../core/backoff.ts'
import type { Logger } from '../../../platform/telemetry/logger.ts'
import { isTransientStoreError } from '../../../platform/postgres/postgres.ts'
import type { Postgres, Queryable } from '../../../platform/postgres/postgres.ts'

export interface UpkeepDependencies {
  readonly postgres: Postgres
  readonly logger: Logger
  /** Aborted, it ends a round between two transactions, of which there may be hundreds. */
  readonly signal?: AbortSignal
  /** Milliseconds of a clock that never jumps. */
  readonly now?: () => number
}

/** Partitioned by the UTC day of received_at. */
export const tablesByDay = ['decisions', 'evaluations'] as const

/** A gateway's clock may be a little off, so yesterday is made as well. */
const daysBehind = 1
export const daysAhead = 7
/** Any date may have rows, so that a round makes no more than so many for them. */
const strayDaysMax = 20
/** Enough to find some days; what is behind them is found when these have moved. */
const strayRowsMax = 10_000
const attemptsMax = 5
const backoff = { baseMs: 100, capMs: 2000 }
/** Whoever reads or writes decisions waits behind us for no longer than this. */
const lockTimeoutMs = 500
/** The same lock as in ensure_day_partition. */
const takeTurn = `select pg_try_advisory_xact_lock(
                           hashtextextended('sluice decisions partitions', 0)) as is_ours`

/** Makes the days around today, by the clock of Postgres: all instances share it. */
export async function makeDaysAround(dependencies: UpkeepDependencies): Promise<void> {
  await makeDays(dependencies, await daysAround(dependencies.postgres))
}

/**
 * The days around today, and those of the default partition: what a gateway's clock says otherwise
 * is found there.
 */
export async function makePartitions(dependencies: UpkeepDependencies): Promise<void> {
  const { postgres } = dependencies
  await makeDays(dependencies, [...(await daysAround(postgres)), ...(await strayDays(postgres))])
}

async function makeDays(dependencies: UpkeepDependencies, days: readonly Day[]): Promise<void> {
  const { logger } = dependencies
  for (const { name: table, day } of days) {
    const moved = await inTurn(dependencies, (transaction) => makeDay(transaction, table, day))
    if (moved === null) continue
    if (moved === 0) logger.info({ table, day }, 'made the partition of a day')
    else logger.warn({ table, day, rows: moved }, 'moved rows out of the default partition')
  }
}

/**
 * One transaction that gives way instead of making others wait; tried again after a while.
 * @returns null when another instance is at work on the tables, whose it is then to do, or when the
 *   process stops.
 * @throws the last error, after some attempts or when trying again cannot help.
 */
export async function inTurn<R>(
  { postgres, signal }: Pick<UpkeepDependencies, 'postgres' | 'signal'>,
  work: (transaction: Queryable) => Promise<R>
): Promise<R | null> {
  for (let attempt = 1; ; attempt++) {
    if (signal?.aborted === true) return null
    try {
      return await postgres.transaction(async (transaction) => {
        await transaction.query(`set local lock_timeout = ${lockTimeoutMs}`)
        const [turn] = await transaction.query<{ is_ours: boolean }>(takeTurn)
        return turn?.is_ours === true ? await work(transaction) : null
      })
    } catch (error) {
      if (attempt >= attemptsMax || !isTransientStoreError(error)) throw error
      const ms = backoffMs(backoff, attempt, Math.random())
      await new Promise((resolve) => setTimeout(resolve, ms))
    }
  }
}

/** @returns the rows moved out of the default partition, or null when the day had its own. */
async function makeDay(transaction: Queryable, table: string, day: string): Promise<number | null> {
  const [row] = await transaction.query<{ moved: number | null }>(
    `select ensure_day_partition($1, $2::date) as moved`,
    [table, day]
  )
  return row?.moved ?? null
}

interface Day extends Record<string, unknown> {
  /** The partitioned table. */
  readonly name: string
  /** As `2025-01-15`. */
  readonly day: string
}

/** Days around today that have no partition yet. */
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
