/** Refreshes decisions with a pushed score whose plan was not stored when the score was. */
import type { Queryable, Row } from '../../platform/postgres/postgres.ts'
import { changeOutcomeHours } from '../../store/change-outcome-hours.ts'
import type { RowKey } from './evaluation-rows.ts'
import { inTurn } from './maintenance/partitions.ts'
import type { UpkeepDependencies } from './maintenance/partitions.ts'
import { refreshOutcomes } from './refresh-outcomes.ts'

/** In one round; the rest is for the next. */
const decisionsMax = 500

/**
 * A plan without runs publishes nothing, so storage would never refresh such a decision when the
 * plan is stored.
 */
export async function refreshUnplanned(dependencies: UpkeepDependencies): Promise<void> {
  await inTurn(dependencies, async (transaction) => {
    const decisions = await selectPlanned(transaction)
    const changes = await refreshOutcomes(transaction, decisions)
    await changeOutcomeHours(transaction, changes)
  })
}

function selectPlanned(transaction: Queryable): Promise<RowKey[]> {
  return transaction.query<RowKey & Row>(
    `select o.organization_id, o.decision_id, o.received_at
       from evaluations o
       join evaluation_plans p using (organization_id, decision_id)
      where o.reason = 'not_planned_yet'
      order by o.updated_at
      limit $1`,
    [decisionsMax]
  )
}
