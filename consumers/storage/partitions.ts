/** Makes the day partitions of decisions ahead of time. */
import type { Logger } from '../../platform/logger.ts'
import type { Queryable } from '../../platform/postgres.ts'

/** A gateway's clock may be a little off, so yesterday is made as well. */
const daysBehind = 1
const daysAhead = 7
const everyMs = 3_600_000

/**
 * Makes partitions now and every hour; returns what ends it. A day without its partition is stored
 * in the default one, so a failure is no reason to stand still.
 */
export async function startPartitions(dependencies: { postgres: Queryable; logger: Logger }) {
  const { postgres, logger } = dependencies
  async function ensure(): Promise<void> {
    try {
      await ensurePartitions(postgres)
    } catch (error) {
      logger.warn({ error }, 'could not make partitions ahead; trying again in an hour')
    }
  }

  await ensure()
  const timer = setInterval(() => void ensure(), everyMs)
  return () => clearInterval(timer)
}

async function ensurePartitions(postgres: Queryable): Promise<void> {
  await postgres.query(
    `select ensure_decisions_partition(day::date)
       from generate_series((now() at time zone 'utc')::date - $1::integer,
                            (now() at time zone 'utc')::date + $2::integer,
                            interval '1 day') as day`,
    [daysBehind, daysAhead]
  )
}
