/** Corrects evaluations when two agents or sessions used the same `decision_id`.
 *
 * The two decisions may be in different partitions. Both may then be evaluated before storage
 * rejects one of them, so the stored evaluation may belong to the rejected decision.
 */
import type { Decision } from '../../core/decision/decision.ts'
import { renewDeferrals } from '../../store/insert-deferrals.ts'
import type { Deferral } from '../../store/insert-deferrals.ts'
import { changeOutcomeHours } from '../../store/change-outcome-hours.ts'
import { identityArrays } from '../../store/find-identities.ts'
import { lockCorrectionsExclusive } from '../../store/correction-lock.ts'
import { deletePlanned, lockEvaluationRows } from '../../store/delete-evaluations.ts'
import { timestamptzArray } from '../../platform/postgres/postgres-array.ts'
import type { Queryable, Row } from '../../platform/postgres/postgres.ts'
import { refreshOutcomes } from './refresh-outcomes.ts'
import { storePacked } from './store-packed.ts'

interface StoredDecision
  extends Row, Omit<Deferral, 'partition'>, Pick<Decision, 'agent_id' | 'session_id' | 'domain'> {
  readonly organization_id: string
  readonly decision_id: string
  /** Whether an evaluation or a plan of another decision is stored under this ID. */
  readonly has_foreign_results: boolean
}

/**
 * Deletes evaluations and plans of rejected decisions, and defers the stored decisions to be
 * evaluated again. If a stored decision has no evaluation, inserts a row without runs for it. The
 * agent and session in this row keep evaluations of other decisions out.
 */
export async function correctEvaluations(
  transaction: Queryable,
  rejected: readonly Decision[],
  partition: number
): Promise<void> {
  // Skips the lock in the usual case: a rejected decision with the agent and session of the stored
  // decision needs no correction. All transactions that store evaluations would wait for the lock.
  if (rejected.length === 0 || (await selectStored(transaction, rejected)).length === 0) return
  await lockCorrectionsExclusive(transaction)
  const stored = await selectStored(transaction, rejected)
  await lockEvaluationRows(transaction, stored)
  const wrong = stored.filter(({ has_foreign_results }) => has_foreign_results)
  const deleted = await deletePlanned(transaction, wrong)
  await renewDeferrals(
    transaction,
    wrong.map((decision) => ({ ...decision, partition }))
  )
  const { inserted } = await storePacked(transaction, stored.map(withoutRuns))
  const rows = inserted.map(({ row }) => row)
  // Recomputes the outcomes, because users may have pushed scores to the stored decisions.
  const { added, removed } = await refreshOutcomes(transaction, rows)
  const changes = { added: [...rows, ...added], removed: [...deleted, ...removed] }
  await changeOutcomeHours(transaction, changes)
}

function withoutRuns(decision: StoredDecision) {
  const { organization_id, decision_id, agent_id, session_id, domain, received_at } = decision
  return {
    organization_id,
    decision_id,
    agent_id,
    session_id,
    domain,
    received_at: received_at.getTime(),
    evaluated_at: 0,
    plan: null,
    runs: [],
    later_runs: []
  }
}

/**
 * `limit 1` makes Postgres look up each row by its key instead of joining whole tables. The lock on
 * the identity makes a concurrent erasure wait, so that it deletes the corrected row. A plan does
 * not record its agent: if the stored and the rejected decision both have the `received_at` of the
 * plan, it may belong to either.
 */
const selectStatement = `
  select distinct on (organization_id, decision_id) organization_id, decision_id, d.*,
          exists (select from evaluations e
                   where e.organization_id = rejected.organization_id
                     and e.decision_id = rejected.decision_id
                     and e.received_at between d.received_at - interval '1 day'
                                           and d.received_at + interval '1 day'
                     and (e.received_at <> d.received_at
                          or (e.agent_id, e.session_id)
                             is distinct from (d.agent_id, d.session_id)))
          or exists (select from evaluations e
                      where e.organization_id = rejected.organization_id
                        and e.decision_id = rejected.decision_id
                        and e.received_at = rejected.received_at
                        and e.received_at <> d.received_at)
          or exists (select from evaluation_plans p
                      where p.organization_id = rejected.organization_id
                        and p.decision_id = rejected.decision_id
                        and (p.received_at <> d.received_at
                             or p.received_at = rejected.received_at)) as has_foreign_results
     from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[])
          as rejected (organization_id, decision_id, agent_id, session_id, received_at)
    cross join lateral (
          select i.received_at from decision_ids i
           where i.organization_id = rejected.organization_id
             and i.decision_id = rejected.decision_id and i.erased_at is null
           limit 1
             for share) as identity
    cross join lateral (
          select d.received_at, d.agent_id, d.session_id, d.domain,
                 length(d.input) + length(d.output) + coalesce(length(d.metadata), 0)
                   as characters
            from decisions d
           where d.organization_id = rejected.organization_id
             and d.decision_id = rejected.decision_id
             and d.received_at = identity.received_at
           limit 1) as d
    where (d.agent_id, d.session_id)
          is distinct from (rejected.agent_id, rejected.session_id)
    order by organization_id, decision_id`

/**
 * Selects stored decisions that share an ID with a rejected decision of another agent or session.
 */
function selectStored(
  transaction: Queryable,
  rejected: readonly Decision[]
): Promise<StoredDecision[]> {
  return transaction.query<StoredDecision>(selectStatement, [
    ...identityArrays(rejected),
    rejected.map(({ agent_id }) => agent_id),
    rejected.map(({ session_id }) => session_id),
    timestamptzArray(rejected.map(({ received_at }) => received_at))
  ])
}
