/** Evaluations that are over: storage keeps what they came to, so their runs need not be read. */
import type { EvaluationStatus } from '../../../core/evaluation/evaluation-status.ts'
import type { Verdict } from '../../../core/evaluation/evaluation.ts'
import type { OrganizationStore } from '../../store.ts'

export interface SettledEvaluation {
  readonly status: EvaluationStatus
  readonly verdict: Verdict
}

/** By decision; without those that may still change, and those of which nothing is kept. */
export async function selectSettled(
  store: OrganizationStore,
  decisions: readonly { readonly decision_id: string; readonly received_at: Date }[]
): Promise<ReadonlyMap<string, SettledEvaluation>> {
  const rows = await store.query<SettledEvaluation & Record<string, unknown>>(
    `select decision_id, status, verdict
       from evaluations
      where organization_id = $1
        and decision_id = any($2::uuid[])
        and received_at = any($3::timestamptz[])
        and status in ('evaluated', 'partial', 'failed', 'not_evaluated')
        and not exists (select
                          from open_runs r
                         where r.organization_id = $1
                           and r.decision_id = evaluations.decision_id)`,
    [
      store.organizationId,
      decisions.map(({ decision_id }) => decision_id),
      decisions.map(({ received_at }) => received_at)
    ]
  )
  return new Map(rows.map(({ decision_id, ...settled }) => [String(decision_id), settled]))
}
