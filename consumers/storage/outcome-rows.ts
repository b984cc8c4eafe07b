/** Rows of `decision_outcomes`: inserted by the first who stores a run, and changed after that. */
import { identityNameOf } from '../../core/decision/decision.ts'
import type { Decision } from '../../core/decision/decision.ts'
import type { DecisionOutcome } from '../../core/evaluation/decision-outcome.ts'
import type { SummedOutcome } from '../../store/change-outcome-hours.ts'
import { textArray, timestamptzArray, uuidArray } from '../../platform/postgres/postgres-array.ts'
import type { Queryable, Row } from '../../platform/postgres/postgres.ts'

export type DecisionName = Pick<Decision, 'organization_id' | 'decision_id'>

/** Of what the outcome is; it never changes. */
export interface OutcomePlace extends DecisionName, Pick<Decision, 'agent_id' | 'domain'> {
  readonly received_at: Date
}

/** A row that is there already: what of it is in the sums. */
export interface KnownOutcome extends OutcomePlace, SummedOutcome {
  readonly organization_id: string
}

/** A row as it is to be. */
export interface OutcomeRow extends OutcomePlace, DecisionOutcome {
  readonly session_id: string | null
}

/** @returns those that had none, whose turn it is until the transaction ends. */
export async function insertOutcomes(
  transaction: Queryable,
  rows: readonly OutcomeRow[]
): Promise<readonly OutcomeRow[]> {
  if (rows.length === 0) return []
  const found = await transaction.query<{ organization_id: string; decision_id: string }>(
    `insert into decision_outcomes (organization_id, decision_id, status, reason, verdict, scores,
                                    counted, received_at, agent_id, session_id, domain)
     select organization_id, decision_id, status, reason, verdict, scores::jsonb,
            counted::jsonb, received_at, agent_id, session_id, domain
       from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[],
                   $7::text[], $8::timestamptz[], $9::text[], $10::text[], $11::text[])
            as given (organization_id, decision_id, status, reason, verdict, scores,
                      counted, received_at, agent_id, session_id, domain)
      order by organization_id, decision_id
     on conflict do nothing
     returning organization_id, decision_id`,
    [
      ...namesOf(rows),
      ...outcomesOf(rows),
      timestamptzArray(rows.map(({ received_at }) => received_at.getTime())),
      textArray(rows.map(({ agent_id }) => agent_id)),
      textArray(rows.map(({ session_id }) => session_id)),
      textArray(rows.map(({ domain }) => domain))
    ]
  )
  const inserted = new Set(found.map(identityNameOf))
  return rows.filter((row) => inserted.has(identityNameOf(row)))
}

/** Waits for whoever stores runs of the same decisions. */
export function lockOutcomes(
  transaction: Queryable,
  decisions: readonly DecisionName[]
): Promise<KnownOutcome[]> {
  return transaction.query<KnownOutcome & Row>(
    `select o.organization_id, o.decision_id, o.received_at, o.agent_id, o.domain, o.status,
            o.verdict, o.counted
       from decision_outcomes o
       join unnest($1::uuid[], $2::uuid[]) as wanted (organization_id, decision_id)
            using (organization_id, decision_id)
      order by o.organization_id, o.decision_id
        for update of o`,
    namesOf(decisions)
  )
}

/** @param rows whose turn it is */
export async function updateOutcomes(
  transaction: Queryable,
  rows: readonly (DecisionName & DecisionOutcome)[]
): Promise<void> {
  if (rows.length === 0) return
  await transaction.query(
    `update decision_outcomes o
        set status = given.status, reason = given.reason, verdict = given.verdict,
            scores = given.scores::jsonb, counted = given.counted::jsonb, updated_at = now()
       from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[],
                   $7::text[])
            as given (organization_id, decision_id, status, reason, verdict, scores, counted)
      where o.organization_id = given.organization_id and o.decision_id = given.decision_id`,
    [...namesOf(rows), ...outcomesOf(rows)]
  )
}

function namesOf(decisions: readonly DecisionName[]) {
  return [
    uuidArray(decisions.map(({ organization_id }) => organization_id)),
    uuidArray(decisions.map(({ decision_id }) => decision_id))
  ]
}

function outcomesOf(outcomes: readonly DecisionOutcome[]) {
  return [
    textArray(outcomes.map(({ status }) => status)),
    textArray(outcomes.map(({ reason }) => reason)),
    textArray(outcomes.map(({ verdict }) => verdict)),
    textArray(outcomes.map(({ scores }) => JSON.stringify(scores))),
    textArray(outcomes.map(({ counted }) => JSON.stringify(counted)))
  ]
}
