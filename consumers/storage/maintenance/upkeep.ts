/** The upkeep of the tables, every minute: days made ahead, old ones dropped, and how it stands. */
import type { Metrics } from '../../../platform/telemetry/metrics.ts'
import type { Queryable } from '../../../platform/postgres/postgres.ts'
import { forgetSessions } from './forget-sessions.ts'
import { daysAhead, makeDaysAround, makePartitions, tablesByDay } from './partitions.ts'
import { refreshUnplanned } from '../refresh-unplanned.ts'
import { applyRetention } from './retention.ts'
import type { RetentionDependencies } from './retention.ts'

export interface UpkeepOptions extends RetentionDependencies {
  readonly metrics: Metrics
}

const everyMs = 60_000
/** Rounds of several instances drift apart. */
const jitterMs = 10_000
/** Beyond it the default partition is not counted. */
const rowsMax = 10_000

/** Work may say that there is more of it. */
type Part = readonly [what: string, work: (options: UpkeepOptions) => Promise<boolean | void>]

/** Old rows first: else they would be moved to a day of their own, and dropped with it. */
const round: readonly Part[] = [
  ['drop what is old', applyRetention],
  ['forget old sessions', forgetSessions],
  ['make partitions', makePartitions],
  ['look for plans', refreshUnplanned],
  ['measure the partitions', measure]
]

/**
 * Does a round now and every minute; returns what ends it. It resolves when the days around today
 * have their partitions, into which is stored from then on; what else there is to do may be much,
 * and nobody has to wait for it. A day without its partition is stored in the default one, so a
 * failure is no reason to stand still.
 */
export async function startUpkeep(options: UpkeepOptions): Promise<() => Promise<void>> {
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  let isStopped = false

  function begin(): void {
    running = run(round, options).then(plan)
  }

  function plan(isMore: boolean): void {
    if (isStopped) return
    timer = setTimeout(begin, isMore ? 0 : everyMs + Math.random() * jitterMs)
  }

  await run([['make the partitions of these days', makeDaysAround]], options)
  begin()
  return async function stop() {
    isStopped = true
    clearTimeout(timer)
    await running
  }
}

/** Each part is tried, whatever became of the one before. */
async function run(parts: readonly Part[], options: UpkeepOptions): Promise<boolean> {
  const { logger, signal } = options
  let isMore = false
  for (const [what, work] of parts) {
    if (signal?.aborted === true) return false
    try {
      isMore = (await work(options)) === true || isMore
    } catch (error) {
      logger.warn({ error }, `could not ${what}; trying again in a minute`)
    }
  }
  return isMore
}

async function measure({ postgres, metrics, logger }: UpkeepOptions): Promise<void> {
  const { default_rows: rows, missing_days: days } = await readState(postgres)
  metrics.set('sluice_storage_default_partition_rows', {}, rows)
  metrics.set('sluice_storage_missing_partitions', {}, days)
  if (rows > 0) {
    const counted = rows < rowsMax ? rows : `${rowsMax} or more`
    logger.warn({ rows: counted }, 'rows lie in the default partitions')
  }
}

interface State extends Record<string, unknown> {
  readonly default_rows: number
  readonly missing_days: number
}

/** Rows and missing partitions of all tables together. */
async function readState(postgres: Queryable): Promise<State> {
  const counts = tablesByDay.map(
    (name) => `(select count(*) from (select from ${name}_default
              limit $1) as counted)`
  )
  const [row] = await postgres.query<State>(
    `select ${counts.join(' + ')} as default_rows,
            (select count(*)::integer
               from generate_series(0, $2::integer) as ahead
              cross join unnest($3::text[]) as name
              where to_regclass(name || '_' ||
                      to_char((now() at time zone 'utc')::date + ahead, 'YYYYMMDD')) is null)
              as missing_days`,
    [rowsMax, daysAhead, tablesByDay]
  )
  if (row === undefined) throw new Error('the state of the partitions has no row')
  return row
}
