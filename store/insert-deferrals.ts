/** Inserts deferred decisions. Evaluation later reads them from Postgres and plans them. */
import type { DecisionIdentity } from '../core/decision/decision.ts'
import { createInsertRows } from '../platform/postgres/insert-rows.ts'
import type { Column } from '../platform/postgres/insert-rows.ts'
import type { Queryable } from '../platform/postgres/postgres.ts'

export interface Deferral extends DecisionIdentity {
  readonly received_at: Date
  /** Partition of the decisions topic. Its consumer evaluates the decision. */
  readonly partition: number
  /** The length of input, output and metadata. */
  readonly characters: number
}

const columns: readonly Column<Deferral>[] = [
  ['organization_id', 'uuid', ({ organization_id }) => organization_id],
  ['decision_id', 'uuid', ({ decision_id }) => decision_id],
  ['partition', 'integer', ({ partition }) => partition],
  ['received_at', 'timestamptz', ({ received_at }) => received_at],
  ['characters', 'integer', ({ characters }) => characters]
]

const insertRows = createInsertRows('deferred_decisions', columns, {
  tail: 'order by organization_id, decision_id on conflict do nothing'
})

const insertOrRenew = createInsertRows('deferred_decisions', columns, {
  tail: `order by organization_id, decision_id
      on conflict (organization_id, decision_id) do update set due_at = now()`
})

/** A decision that is already deferred keeps its row. */
export async function insertDeferrals(
  postgres: Queryable,
  deferrals: readonly Deferral[]
): Promise<void> {
  await insertRows(postgres, deferrals)
}

/**
 * A decision that is already deferred becomes due again. A process that is evaluating it keeps
 * the row, so that it is evaluated once more.
 */
export async function renewDeferrals(
  postgres: Queryable,
  deferrals: readonly Deferral[]
): Promise<void> {
  await insertOrRenew(postgres, deferrals)
}
