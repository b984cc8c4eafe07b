/** Finds the days of decisions, so that reads of tables by day open only their partitions. */
import type { OrganizationStore } from './store.ts'

/**
 * A statement of its own: Postgres skips partitions by values, and not by the rows of a join.
 * @returns the times of the decisions; null when one is not stored: its runs may be of any day
 */
export async function selectDays(
  store: OrganizationStore,
  decisionIds: readonly string[]
): Promise<readonly Date[] | null> {
  const rows = await store.query<{ received_at: Date }>(
    `select received_at
       from decision_ids
      where organization_id = $1
        and decision_id = any($2::uuid[])`,
    [store.organizationId, decisionIds]
  )
  if (rows.length < new Set(decisionIds).size) return null
  return rows.map(({ received_at }) => received_at)
}

/** @param parameter such as `$3`, for the result of `selectDays` */
export function onDays(column: string, parameter: string): string {
  return `(${parameter}::timestamptz[] is null or ${column} = any(${parameter}::timestamptz[]))`
}
