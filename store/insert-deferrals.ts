/** Inserts deferred decisions. The evaluation consumer later reads them from Postgres and plans
 * their runs.
 */
import type { DecisionIdentity } from '../core/decision/decision.ts'
import { createInsertRows } from '../platform/postgres/insert-rows.ts'
import type { Column } from '../platform/postgres/insert-rows.ts'

export interface Deferral extends DecisionIdentity {
  readonly received_at: Date
  /** Partition of the decisions topic. The consumer of this partition evaluates the decision. */
  readonly partition: number
  /** Total length of input, output and metadata. */
  readonly characters: number
}

const columns: readonly Column<Deferral>[] = [
  ['organization_id', 'uuid', ({ organization_id }) => organization_id],
  ['decision_id', 'uuid', ({ decision_id }) => decision_id],
  ['partition', 'integer', ({ partition }) => partition],
  ['received_at', 'timestamptz', ({ received_at }) => received_at],
  ['characters', 'integer', ({ characters }) => characters]
]

/** Inserts deferrals. Existing deferrals stay unchanged. */
export const insertDeferrals = createInsertRows('deferred_decisions', columns, {
  tail: 'order by organization_id, decision_id on conflict do nothing'
})

/**
 * Inserts deferrals and makes existing ones due now. If a process is already evaluating such a
 * decision, it does not delete the changed row, so the decision is evaluated again.
 */
export const renewDeferrals = createInsertRows('deferred_decisions', columns, {
  tail: `order by organization_id, decision_id
      on conflict (organization_id, decision_id) do update set due_at = now()`
})
