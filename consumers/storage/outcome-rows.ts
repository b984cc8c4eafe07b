/** Rows of `decision_outcomes`: inserted by the first who stores a run, and changed after that. */
import { identityNameOf } from '../../core/decision.ts'
import type { Decision } from '../../core/decision.ts'
import type { DecisionOutcome } from '../../core/decision-outcome.ts'
import type { SummedOutcome } from '../../platform/change-outcome-hours.ts'
import { createInsertRows } from '../../platform/insert-rows.ts'
import type { Column } from '../../platform/insert-rows.ts'
import type { Queryable, Row } from '../../platform/postgres.ts'

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

const nameColumns: readonly Column<DecisionName>[] = [
  ['organization_id', 'uuid', ({ organization_id }) => organization_id],
  ['decision_id', 'uuid', ({ decision_id }) => decision_id]
]

const outcomeColumns: readonly Column<DecisionOutcome>[] = [
  ['status', 'text', ({ status }) => status],
  ['reason', 'text', ({ reason }) => reason],
  ['verdict', 'text', ({ verdict }) => verdict],
  ['scores', 'jsonb', ({ scores }) => JSON.stringify(scores)],
  ['counted', 'jsonb', ({ counted }) => JSON.stringify(counted)]
]

const insertRows = createInsertRows<OutcomeRow>(
  'decision_outcomes',
  [
    ...nameColumns,
    ['received_at', 'timestamptz', ({ received_at }) => received_at],
    ['agent_id', 'text', ({ agent_id }) => agent_id],
    ['session_id', 'text', ({ session_id }) => session_id],
    ['domain', 'text', ({ domain }) => domain],
    ...outcomeColumns
  ],
  { tail: 'on conflict do nothing returning organization_id, decision_id' }
)

/** @returns those that had none, whose turn it is until the transaction ends. */
export async function insertOutcomes(
  transaction: Queryable,
  rows: readonly OutcomeRow[]
): Promise<readonly OutcomeRow[]> {
  const found = await insertRows<DecisionName & Row>(transaction, sorted(rows))
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
    nameColumns.map(([, , valueOf]) => decisions.map(valueOf))
  )
}

const changed = [...nameColumns, ...outcomeColumns] as const
const update = `
  update decision_outcomes o
     set ${outcomeColumns.map(([name]) => `${name} = given.${name}`).join(', ')},
         updated_at = now()
    from unnest(${changed.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ')})
         as given (${changed.map(([name]) => name).join(', ')})
   where o.organization_id = given.organization_id and o.decision_id = given.decision_id`

/** @param rows whose turn it is */
export async function updateOutcomes(
  transaction: Queryable,
  rows: readonly (DecisionName & DecisionOutcome)[]
): Promise<void> {
  if (rows.length === 0) return
  const names = nameColumns.map(([, , valueOf]) => rows.map(valueOf))
  const outcomes = outcomeColumns.map(([, , valueOf]) => rows.map(valueOf))
  await transaction.query(update, [...names, ...outcomes])
}

function sorted(rows: readonly OutcomeRow[]): readonly OutcomeRow[] {
  return rows.toSorted((left, right) => (identityNameOf(left) < identityNameOf(right) ? -1 : 1))
}
