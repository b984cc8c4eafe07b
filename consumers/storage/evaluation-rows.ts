/** Reads and writes rows of `evaluations`. A row is inserted with the first run of a decision and
 * updated by later runs.
 */
import { identityNameOf } from '../../core/decision/decision.ts'
import type { Decision, DecisionIdentity } from '../../core/decision/decision.ts'
import type { DecisionOutcome } from '../../core/evaluation/decision-outcome.ts'
import type { EvaluationPlan, PackedRun } from '../../core/evaluation/evaluation.ts'
import { kindListOf } from '../../core/evaluation/packed-outcome.ts'
import type { KindList } from '../../core/evaluation/packed-outcome.ts'
import { countedSql } from '../../store/packed-sql.ts'
import type { SummedOutcome } from '../../store/change-outcome-hours.ts'
import { createInsertRows, elementOf, parametersOf } from '../../platform/postgres/insert-rows.ts'
import type { Column } from '../../platform/postgres/insert-rows.ts'
import { textArrayLiteral } from '../../platform/postgres/postgres-array.ts'
import type { Queryable, Row } from '../../platform/postgres/postgres.ts'
import { numberOf } from './run-kinds.ts'

/** Primary key of a row. */
export interface RowKey extends Pick<Decision, 'organization_id' | 'decision_id'> {
  readonly received_at: Date
}

/** Identity of a decision, with `received_at` in milliseconds since 1970. */
type Timed = Pick<Decision, 'organization_id' | 'decision_id' | 'received_at'>

export function keyOf(evaluation: Timed): RowKey {
  const { organization_id, decision_id, received_at } = evaluation
  return { organization_id, decision_id, received_at: new Date(received_at) }
}

/** Columns that never change. */
export interface RowPlace extends RowKey, Pick<Decision, 'agent_id' | 'session_id' | 'domain'> {}

/** An existing row, with the values that the hourly sums include. */
interface LockedRow extends RowPlace, SummedOutcome {
  readonly organization_id: string
  /** Whether the row has packed runs. */
  readonly is_packed: boolean
}

export interface RowOutcome extends Omit<DecisionOutcome, 'scores'> {
  /** Null if readers derive the scores from the packed runs. */
  readonly scores: DecisionOutcome['scores'] | null
}

interface PackedRuns {
  /** Null if the plan is stored in `evaluation_plans`. */
  readonly plan: EvaluationPlan | null
  /** Milliseconds since 1970. */
  readonly evaluated_at: number
  readonly runs: readonly PackedRun[]
}

export interface EvaluationRow extends RowPlace, RowOutcome {
  readonly packed: PackedRuns | null
}

const keyColumns: readonly Column<RowKey>[] = [
  ['organization_id', 'uuid', ({ organization_id }) => organization_id],
  ['decision_id', 'uuid', ({ decision_id }) => decision_id],
  ['received_at', 'timestamptz', ({ received_at }) => received_at]
]

const outcomeColumns: readonly Column<RowOutcome>[] = [
  ['status', 'text', ({ status }) => status],
  ['reason', 'text', ({ reason }) => reason],
  ['verdict', 'text', ({ verdict }) => verdict],
  ['scores', 'jsonb', ({ scores }) => scores && JSON.stringify(scores)],
  ['counted', 'jsonb', ({ scores, counted }) => scores && JSON.stringify(counted)]
]

const statusLetters = { succeeded: 's', failed: 'f', skipped: 'k' } as const

/**
 * Columns of the plan and the packed runs. An array has one element per run, and is null if all
 * elements are null.
 */
const packedColumns: readonly Column<{ readonly packed: PackedRuns | null }>[] = [
  ['rule_set_version', 'integer', ({ packed }) => packed?.plan?.rule_set_version ?? null],
  ['outcomes', 'text', ({ packed }) => packed?.plan?.outcomes.join(',') ?? null],
  ['evaluated_at', 'timestamptz', ({ packed }) => packed && new Date(packed.evaluated_at)],
  ['has_unsuccessful', 'boolean', ({ packed }) => packed?.runs.some(isUnsuccessful) ?? false],
  ['run_kinds', 'bigint[]', ({ packed }) => packed && numbersOf(kindListOf(packed.runs))],
  arrayColumn('statuses', '"char"[]', ({ status }) => statusLetters[status]),
  arrayColumn('status_reasons', 'text[]', ({ status_reason }) => status_reason),
  arrayColumn('durations_us', 'integer[]', ({ duration_us }) => duration_us),
  arrayColumn('score_values', 'float8[]', ({ value }) => value),
  arrayColumn('labels', 'text[]', ({ label }) => label),
  arrayColumn('passed', 'boolean[]', ({ passed }) => passed),
  arrayColumn('confidences', 'float8[]', ({ confidence }) => confidence),
  arrayColumn('reasons', 'text[]', ({ reason }) => reason),
  arrayColumn('reason_numbers', 'text[]', ({ reason_numbers }) => reason_numbers),
  arrayColumn('evidence', 'text[]', ({ evidence }) => evidence),
  arrayColumn('errors', 'text[]', ({ error }) => error)
]

const numbers = new WeakMap<KindList, string>()

function numbersOf(list: KindList): string {
  const known = numbers.get(list)
  if (known !== undefined) return known
  const literal = textArrayLiteral(list.kinds.map(numberOf))
  numbers.set(list, literal)
  return literal
}

type Element = string | number | boolean | null

function arrayColumn(
  name: string,
  type: string,
  valueOf: (run: PackedRun) => Element
): Column<{ readonly packed: PackedRuns | null }> {
  return [
    name,
    type,
    ({ packed }) => {
      const values = packed?.runs.map(valueOf) ?? []
      return values.every((value) => value === null) ? null : textArrayLiteral(values)
    }
  ]
}

function isUnsuccessful({ status, status_reason }: PackedRun): boolean {
  return status !== 'succeeded' && status_reason !== 'not_applicable'
}

const insertRows = createInsertRows<EvaluationRow>(
  'evaluations',
  [
    ...keyColumns,
    ['agent_id', 'text', ({ agent_id }) => agent_id],
    ['session_id', 'text', ({ session_id }) => session_id],
    ['domain', 'text', ({ domain }) => domain],
    ...outcomeColumns,
    ...packedColumns
  ],
  {
    tail: `order by organization_id, decision_id
           on conflict do nothing returning organization_id, decision_id`
  }
)

/**
 * @param rows the rows to insert, at most one per decision
 * @returns the inserted rows, which stay locked until the transaction ends
 */
export async function insertEvaluations(
  transaction: Queryable,
  rows: readonly EvaluationRow[]
): Promise<readonly EvaluationRow[]> {
  const found = await insertRows<DecisionIdentity>(transaction, rows)
  const inserted = new Set(found.map(identityNameOf))
  return rows.filter((row) => inserted.has(identityNameOf(row)))
}

/**
 * Finds the `evaluations` rows of decisions that storage has not stored yet. Searches one day
 * before and after the given time, because copies of a decision share one row but may have
 * different times.
 * @returns `received_at` of each row in milliseconds since 1970, by identity name
 */
export async function findReceivedTimes(
  transaction: Queryable,
  evaluations: readonly Timed[]
): Promise<ReadonlyMap<string, number>> {
  if (evaluations.length === 0) return new Map()
  const rows = await transaction.query<RowKey & Row>(
    `select wanted.organization_id, wanted.decision_id, e.received_at
       from ${wantedRows}
      cross join lateral (
        select received_at
          from evaluations e
         where e.organization_id = wanted.organization_id and e.decision_id = wanted.decision_id
           and e.received_at between wanted.received_at - interval '1 day'
                                 and wanted.received_at + interval '1 day'
         order by received_at
         limit 1) as e`,
    keysOf(evaluations.map(keyOf))
  )
  return new Map(rows.map((row) => [identityNameOf(row), row.received_at.getTime()]))
}

/** Locks rows. Waits for other transactions that store runs of the same decisions. */
export async function lockEvaluations(
  transaction: Queryable,
  rows: readonly RowKey[]
): Promise<LockedRow[]> {
  if (rows.length === 0) return []
  return await transaction.query<LockedRow & Row>(
    `select e.organization_id, e.decision_id, e.received_at, e.agent_id, e.session_id, e.domain,
            e.status, e.verdict, ${countedSql} as counted, e.run_kinds is not null as is_packed
       from evaluations e
       join ${wantedRows}
            using (organization_id, decision_id, received_at)
      order by e.organization_id, e.decision_id
        for update of e`,
    keysOf(rows)
  )
}

/** SQL for the keys to look up, passed as the parameters $1 to $3. */
export const wantedRows = `unnest($1::uuid[], $2::uuid[], $3::timestamptz[])
                  as wanted (organization_id, decision_id, received_at)`

export function keysOf(rows: readonly RowKey[]): unknown[] {
  return parametersOf(keyColumns, rows)
}

type Update<T> = (transaction: Queryable, rows: readonly (RowKey & T)[]) => Promise<void>

/** Updates the outcomes of locked rows. */
export const updateOutcomes: Update<RowOutcome> = createUpdate(outcomeColumns, 'updated_at')
/** Adds packed runs to locked rows that have none. */
export const updatePacked: Update<{ readonly packed: PackedRuns | null }> = createUpdate(
  packedColumns,
  'stored_at'
)

/** @param changedAt the name of the column that receives the time of the update */
function createUpdate<T>(columns: readonly Column<T>[], changedAt: string): Update<T> {
  const all: readonly Column<RowKey & T>[] = [...keyColumns, ...columns]
  const arrays = all.map(([, type], index) => `$${index + 1}::${elementOf(type)}[]`)
  const changes = columns.map(([name, type]) => `"${name}" = given."${name}"::${type}`)
  const names = all.map(([name]) => `"${name}"`).join(', ')
  const statement = `update evaluations e set ${changes.join(', ')}, ${changedAt} = now()
       from unnest(${arrays.join(', ')}) as given (${names})
      where e.organization_id = given.organization_id and e.decision_id = given.decision_id
        and e.received_at = given.received_at`
  return async (transaction, rows) => {
    if (rows.length === 0) return
    await transaction.query(statement, parametersOf(all, rows))
  }
}
