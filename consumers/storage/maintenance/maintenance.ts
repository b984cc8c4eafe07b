/** Maintains the tables every minute: deletes old rows, creates day partitions and updates metrics.
 */
import type { Metrics } from '../../../platform/telemetry/metrics.ts'
import { every } from '../../../platform/process/every.ts'
import type { Queryable } from '../../../platform/postgres/postgres.ts'
import { deleteExpiredSessions } from './delete-expired-sessions.ts'
import { daysAhead, makeDaysAround, makePartitions, tablesByDay } from './partitions.ts'
import { refreshUnplanned } from '../refresh-unplanned.ts'
import { applyRetention } from './retention.ts'
import type { RetentionDependencies } from './retention.ts'

interface TableMaintenanceOptions extends RetentionDependencies {
  readonly metrics: Metrics
}

const everyMs = 60_000
const jitter = 1 / 6
/** Maximum number of rows to count in each default partition. */
const rowsMax = 10_000

/** A named task. Resolves to true if there is more to do. */
type Task = readonly [
  task: string,
  work: (options: TableMaintenanceOptions) => Promise<boolean | void>
]

/**
 * Deletes old rows before creating partitions. Otherwise, the rows would first be moved to a new
 * partition that is dropped later.
 */
const round: readonly Task[] = [
  ['drop old rows', applyRetention],
  ['delete expired sessions', deleteExpiredSessions],
  ['create partitions', makePartitions],
  ['refresh decisions with new plans', refreshUnplanned],
  ['measure the partitions', measure]
]

/**
 * Creates the partitions of the days around today, then starts a round in the background and
 * repeats it every minute. If a partition cannot be created, its rows go to the default partition
 * and storage continues.
 * @returns a function that stops maintenance and resolves when the current round has ended
 */
export async function startMaintenance(
  options: TableMaintenanceOptions
): Promise<() => Promise<void>> {
  await run([['create the partitions of these days', makeDaysAround]], options)
  // Each failure is logged where it happens.
  return every({ ms: everyMs, jitter, onError: () => {} }, () => run(round, options)).stop
}

/**
 * Runs all tasks, even if one fails.
 * @returns whether there is more to do
 */
async function run(tasks: readonly Task[], options: TableMaintenanceOptions): Promise<boolean> {
  const { logger, signal } = options
  let isMore = false
  for (const [task, work] of tasks) {
    if (signal?.aborted === true) return false
    try {
      isMore = (await work(options)) === true || isMore
    } catch (error) {
      logger.warn({ error }, `cannot ${task}; retrying in a minute`)
    }
  }
  return isMore
}

async function measure({ postgres, metrics, logger }: TableMaintenanceOptions): Promise<void> {
  const { default_rows: rows, missing_days: days } = await readState(postgres)
  metrics.set('sluice_storage_default_partition_rows', {}, rows)
  metrics.set('sluice_storage_missing_partitions', {}, days)
  if (rows > 0) {
    const counted = rows < rowsMax ? rows : `${rowsMax} or more`
    logger.warn({ rows: counted }, 'default partitions contain rows')
  }
}

interface State extends Record<string, unknown> {
  readonly default_rows: number
  readonly missing_days: number
}

/** Counts the rows in default partitions and the missing partitions of all tables. */
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
  if (row === undefined) throw new Error('the partition query returned no row')
  return row
}
