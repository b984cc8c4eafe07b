/** Keeps a partition for each day of decisions: ahead of time, and for what came without one. */
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
/** The same that ensure_decisions_partition takes. */
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

async function makeDays(dependencies: UpkeepDependencies, days: readonly string[]): Promise<void> {
  const { logger } = dependencies
  for (const day of days) {
    const moved = await inTurn(dependencies, (transaction) => makeDay(transaction, day))
    if (moved === null) continue
    if (moved === 0) logger.info({ day }, 'made the partition of a day')
    else logger.warn({ day, rows: moved }, 'moved decisions out of the default partition')
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
async function makeDay(transaction: Queryable, day: string): Promise<number | null> {
  const [row] = await transaction.query<{ moved: number | null }>(
    `select ensure_decisions_partition($1::date) as moved`,
    [day]
  )
  return row?.moved ?? null
}

interface DayRow extends Record<string, unknown> {
  readonly day: string
}

/** Days that have no partition yet, as `2025-01-15`. */
async function daysAround(postgres: Queryable): Promise<string[]> {
  const rows = await postgres.query<DayRow>(
    `select to_char(day, 'YYYY-MM-DD') as day
       from generate_series((now() at time zone 'utc')::date - $1::integer,
                            (now() at time zone 'utc')::date + $2::integer,
                            interval '1 day') as day
      where to_regclass('decisions_' || to_char(day, 'YYYYMMDD')) is null
      order by day`,
    [daysBehind, daysAhead]
  )
  return rows.map(({ day }) => day)
}

async function strayDays(postgres: Queryable): Promise<string[]> {
  const rows = await postgres.query<DayRow>(
    `select distinct to_char(received_at at time zone 'utc', 'YYYY-MM-DD') as day
       from (select received_at from decisions_default limit $1) as stray
      order by day
      limit $2`,
    [strayRowsMax, strayDaysMax]
  )
  return rows.map(({ day }) => day)
}
