/** Refreshes decisions that got a pushed score before their plan was stored. */
import type { Queryable, Row } from '../../platform/postgres/postgres.ts'
import { changeOutcomeHours } from '../../store/change-outcome-hours.ts'
import type { RowKey } from './evaluation-rows.ts'
import { withMaintenanceLock } from './maintenance/partitions.ts'
import type { MaintenanceDependencies } from './maintenance/partitions.ts'
import { refreshOutcomes } from './refresh-outcomes.ts'

/** Maximum number of decisions per round. */
const decisionsMax = 500

/**
 * Refreshes decisions whose plan is now stored. If a plan has no runs, no record is published that
 * would make storage refresh the decision.
 */
export async function refreshUnplanned(dependencies: MaintenanceDependencies): Promise<void> {
  await withMaintenanceLock(dependencies, async (transaction) => {
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
