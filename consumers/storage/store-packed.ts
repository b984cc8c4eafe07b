/** Stores rows of `evaluations` with their packed runs, and updates the hourly sums.
 *
 * The runs of a decision may come from several partitions, so two transactions may store them
 * concurrently. The decision's row is the lock: the second transaction waits for it and then sees
 * all runs. Rows are inserted and locked in key order to avoid deadlocks.
 */
import { identityNameOf } from '../../core/decision/decision.ts'
import { outcomeOf } from '../../core/evaluation/decision-outcome.ts'
import type { EndedOutcomeRun, OutcomePlan } from '../../core/evaluation/decision-outcome.ts'
import type { Evaluation, PackedRun } from '../../core/evaluation/evaluation.ts'
import { kindListOf, packedOutcomeOf } from '../../core/evaluation/packed-outcome.ts'
import { runIdOf, scoreIdOf } from '../../core/ids/run-id.ts'
import { changeOutcomeHours } from '../../store/change-outcome-hours.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import { insertEvaluations, keyOf, lockEvaluations, updatePacked } from './evaluation-rows.ts'
import type { EvaluationRow, RowKey, RowOutcome, RowPlace } from './evaluation-rows.ts'
import { readPlans } from './read-runs.ts'
import { refreshOutcomes } from './refresh-outcomes.ts'
import { writeRunKinds } from './run-kinds.ts'

interface NewRow {
  readonly row: EvaluationRow
  readonly evaluation: Evaluation
  /** Whether the outcome of a new row depends only on this evaluation. Usually true. */
  readonly isWhole: boolean
}

interface StoredPacked {
  /** Evaluations whose packed runs this transaction stored. */
  readonly stored: ReadonlySet<Evaluation>
  readonly inserted: readonly NewRow[]
}

/** Stores the first packed runs of each decision. Further packed runs are duplicates. */
export async function storePacked(
  transaction: Queryable,
  evaluations: readonly Evaluation[]
): Promise<StoredPacked> {
  const byDecision = [...Map.groupBy(evaluations, identityNameOf).values()]
  const unknown = evaluations.filter(({ plan }) => plan === null)
  const plans = await readPlans(transaction, unknown.map(keyOf))
  const rows = byDecision.flatMap((own) => newRowOf(own, plans))
  const wanted = rows.map(({ row }) => row)
  await writeRunKinds(transaction, wanted)
  const isInserted = new Set(await insertEvaluations(transaction, wanted))
  const inserted = rows.filter(({ row }) => isInserted.has(row))
  const others = rows.filter(({ row }) => !isInserted.has(row))
  const stored = [...inserted, ...(await fill(transaction, others))]
    .filter(({ row }) => row.packed !== null)
    .map(({ evaluation }) => evaluation)
  return { stored: new Set(stored), inserted }
}

/**
 * Adds packed runs to existing rows that have none. Such a row comes from a later run that was
 * stored first, for example a pushed score, or from a `decision_id` that two agents used. Locks all
 * rows before updating any of them.
 */
async function fill(transaction: Queryable, rows: readonly NewRow[]): Promise<readonly NewRow[]> {
  const known = await lockEvaluations(
    transaction,
    rows.map(({ row }) => row)
  )
  const empty = new Map(
    known.filter(({ is_packed }) => !is_packed).map((row) => [identityNameOf(row), row])
  )
  // Skips rows of another agent. If two agents used the same `decision_id`, the existing row
  // belongs to the agent of the stored decision.
  const filled = rows.filter(({ row }) => {
    const known = empty.get(identityNameOf(row))
    return row.packed !== null && known !== undefined && isOfSameKey(row, known)
  })
  await updatePacked(
    transaction,
    filled.map(({ row }) => row)
  )
  return filled
}

/**
 * Compares agent and session. Records with the same agent and session are in one partition, so they
 * are stored in order.
 */
function isOfSameKey(row: RowPlace, { agent_id, session_id }: RowPlace): boolean {
  return row.agent_id === agent_id && row.session_id === session_id
}

/** @param evaluations all evaluations of one decision, at least one */
function newRowOf(
  evaluations: readonly Evaluation[],
  plans: ReadonlyMap<string, OutcomePlan>
): NewRow[] {
  const evaluation = evaluations.find(({ runs }) => runs.length > 0) ?? evaluations[0]
  if (evaluation === undefined) return []
  const { agent_id, session_id, domain, evaluated_at, runs } = evaluation
  const plan = outcomePlanOf(evaluation) ?? plans.get(identityNameOf(evaluation)) ?? null
  const { areDerivable } = kindListOf(runs)
  const row = {
    ...keyOf(evaluation),
    agent_id,
    session_id,
    domain,
    ...(areDerivable ? packedOutcomeOf(plan, runs) : comparedOutcomeOf(plan, evaluation)),
    packed: runs.length === 0 ? null : { plan: evaluation.plan, evaluated_at, runs }
  }
  const isAlone = evaluations.every(({ later_runs }) => later_runs.length === 0)
  const hasAllRuns = plan !== null && runs.length >= plan.runs
  return [{ row, evaluation, isWhole: isAlone && areDerivable && hasAllRuns }]
}

function comparedOutcomeOf(plan: OutcomePlan | null, evaluation: Evaluation): RowOutcome {
  const ended = evaluation.runs.map((run) => outcomeRunOf(evaluation, run))
  return outcomeOf({ plan, ended, open: [] })
}

function outcomePlanOf({ plan, runs }: Evaluation): OutcomePlan | null {
  return plan === null ? null : { runs: runs.length, outcomes: plan.outcomes }
}

/** @param changed the keys of rows that have new runs */
export async function storeSums(
  transaction: Queryable,
  inserted: readonly NewRow[],
  changed: readonly RowKey[]
): Promise<void> {
  const whole = new Set(
    inserted.filter(({ isWhole }) => isWhole).map(({ row }) => identityNameOf(row))
  )
  const rows = inserted.map(({ row }) => row)
  const keys = new Map([...rows, ...changed].map((key) => [identityNameOf(key), key]))
  const { added, removed } = await refreshOutcomes(
    transaction,
    [...keys].flatMap(([name, key]) => (whole.has(name) ? [] : [key]))
  )
  await changeOutcomeHours(transaction, { added: [...rows, ...added], removed })
}

function outcomeRunOf(evaluation: Evaluation, run: PackedRun): EndedOutcomeRun {
  const { kind, status, status_reason, value, label, passed } = run
  const { rule, rule_id, evaluator, evaluator_id, evaluator_version, name } = kind
  const score = {
    name: name ?? '',
    value,
    label,
    passed,
    source_kind: 'evaluator',
    score_id: scoreIdOf(packedRunIdOf(evaluation, run), name ?? '')
  }
  return {
    rule,
    rule_id,
    evaluator,
    evaluator_id,
    evaluator_version,
    generation: 0,
    evaluated_at: evaluation.evaluated_at,
    status,
    status_reason,
    scores: name === null ? [] : [score]
  }
}

function packedRunIdOf({ organization_id, decision_id }: Evaluation, { kind }: PackedRun): string {
  const { rule_id, evaluator_id, evaluator_version: version } = kind
  return runIdOf({ organization_id, decision_id, rule_id, evaluator_id, version, generation: 0 })
}
