/** On which days decisions are: reads of partitions by day name them, and open no others. */
import type { OrganizationStore } from './store.ts'

/**
 * Null when one of them is not known, or was never stored: what there is of it may be on any day.
 * Days are values of a statement of their own, since those of a join or a subquery come too late.
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

/** The condition on the day of a row, given the place of what `selectDays` answers. */
export function onDays(column: string, parameter: string): string {
  return `(${parameter}::timestamptz[] is null or ${column} = any(${parameter}::timestamptz[]))`
}
