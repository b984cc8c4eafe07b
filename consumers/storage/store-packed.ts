/** Stores the rows of evaluations with the runs that are packed in them, and keeps their sums.
 *
 * The runs of a decision may come from several partitions, and two transactions that do not see
 * each other may store them at the same time. The row of the decision is their lock: a transaction
 * that finds it waits, and then sees the runs of both. All insert in the order of the key, and then
 * lock what they found, in the same order, so that no two of them deadlock.
 */
import { identityNameOf } from '../../core/decision/decision.ts'
import { outcomeOf } from '../../core/evaluation/decision-outcome.ts'
import type { EndedRun as OutcomeRun, OutcomePlan } from '../../core/evaluation/decision-outcome.ts'
import { runKeyOf } from '../../core/evaluation/evaluation-status.ts'
import type { Evaluation, Run } from '../../core/evaluation/evaluation.ts'
import { changeOutcomeHours } from '../../store/change-outcome-hours.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import { insertEvaluations, lockEvaluations, updatePacked } from './evaluation-rows.ts'
import type { EvaluationRow, RowKey } from './evaluation-rows.ts'
import { endedNameOf } from './insert-runs.ts'
import type { EndedRun } from './insert-runs.ts'
import { readLaterRunIds, readPackedRunIds, readPlans } from './read-outcome-facts.ts'
import { arePlain, refreshOutcomes } from './refresh-outcomes.ts'
import type { Offer } from './pack-runs.ts'
import { writeRunKinds } from './write-run-kinds.ts'

/** A row that is offered, and the offer that it is made of. */
interface NewRow {
  readonly row: EvaluationRow
  readonly offer: Offer
  /** Whether there can be nothing else, if the row is new: most decisions come like that. */
  readonly isWhole: boolean
}

export interface StoredPacked {
  /** Packed runs that were not there before. */
  readonly stored: readonly EndedRun[]
  /** Runs for whose row others came first: they need rows of their own. */
  readonly leftOver: readonly EndedRun[]
  readonly inserted: readonly NewRow[]
}

export async function storePacked(
  transaction: Queryable,
  offers: readonly Offer[]
): Promise<StoredPacked> {
  const byDecision = [
    ...Map.groupBy(offers, ({ evaluation }) => identityNameOf(evaluation)).values()
  ]
  const plans = await readPlans(transaction, byDecision.flatMap(keyOfFirst))
  const rows = byDecision.flatMap((own) => newRowOf(own, plans))
  const wanted = rows.map(({ row }) => row)
  await writeRunKinds(transaction, wanted)
  const isInserted = new Set(await insertEvaluations(transaction, wanted))
  const inserted = rows.filter(({ row }) => isInserted.has(row))
  const others = rows.filter(({ row }) => !isInserted.has(row))
  const filled = await fill(transaction, others)
  const taken = new Set([...inserted, ...filled].map(({ offer }) => offer))
  const stored = [...inserted, ...filled].flatMap(({ offer }) => packedOf(offer))
  const rest = offers.filter((offer) => !taken.has(offer)).flatMap(packedOf)
  const known = await readPackedRunIds(transaction, rest.map(keyOf))
  const leftOver = rest.filter((ended) => !known.has(endedNameOf(ended)))
  return { stored, leftOver, inserted }
}

function packedOf({ evaluation, packed }: Offer): EndedRun[] {
  return packed.map(({ run }) => ({ evaluation, run }))
}

export function keyOf({ evaluation }: { readonly evaluation: Evaluation }): RowKey {
  const { organization_id, decision_id, received_at } = evaluation
  return { organization_id, decision_id, received_at: new Date(received_at) }
}

function keyOfFirst([first]: readonly Offer[]): RowKey[] {
  return first === undefined ? [] : [keyOf(first)]
}

/**
 * Locks rows that are there, and fills those that have no packed runs yet: somebody pushed a score
 * before. All are locked before anything else is written, whether they are filled or not. One of
 * whose runs came in a form that does not fit is left as it is.
 */
async function fill(transaction: Queryable, rows: readonly NewRow[]): Promise<readonly NewRow[]> {
  const known = await lockEvaluations(
    transaction,
    rows.map(({ row }) => row)
  )
  const isEmpty = new Set(known.filter(({ is_packed }) => !is_packed).map(identityNameOf))
  const fitting = rows.filter(({ row }) => row.packed !== null && isEmpty.has(identityNameOf(row)))
  const later = await readLaterRunIds(
    transaction,
    fitting.flatMap(({ offer }) => packedOf(offer))
  )
  const filled = fitting.filter(
    ({ offer }) => !packedOf(offer).some((ended) => later.has(endedNameOf(ended)))
  )
  await updatePacked(
    transaction,
    filled.map(({ row }) => row)
  )
  return filled
}

/** @param offers of one decision, at least one */
function newRowOf(offers: readonly Offer[], plans: ReadonlyMap<string, OutcomePlan>): NewRow[] {
  const offer = offers.find(({ packed }) => packed.length > 0) ?? offers[0]
  if (offer === undefined) return []
  const { evaluation, packed } = offer
  const { organization_id, decision_id, agent_id, session_id, domain, evaluated_at } = evaluation
  const plan = plans.get(identityNameOf(evaluation)) ?? null
  const ended = packed.map(({ run }) => outcomeRunOf(evaluated_at, run))
  const row = {
    ...{ organization_id, decision_id, agent_id, session_id, domain },
    received_at: new Date(evaluation.received_at),
    ...outcomeOf({ plan, ended, open: [] }),
    isPlain: arePlain(ended),
    packed: packed.length === 0 ? null : { evaluated_at, runs: packed }
  }
  const isAlone = offers.every(({ others }) => others.length === 0)
  return [{ row, offer, isWhole: isAlone && isWholePlan(plan, ended) }]
}

/** @param fresh all runs that were not stored before */
export async function storeSums(
  transaction: Queryable,
  { inserted }: StoredPacked,
  fresh: readonly EndedRun[]
): Promise<void> {
  const whole = new Set(
    inserted.filter(({ isWhole }) => isWhole).map(({ row }) => identityNameOf(row))
  )
  const changed = [...inserted.map(({ row }) => row), ...fresh.map(keyOf)]
  const keys = new Map(changed.map((key) => [identityNameOf(key), key]))
  const { added, removed } = await refreshOutcomes(
    transaction,
    [...keys].flatMap(([name, key]) => (whole.has(name) ? [] : [key]))
  )
  const rows = inserted.map(({ row }) => row)
  await changeOutcomeHours(transaction, { added: [...rows, ...added], removed })
}

function outcomeRunOf(evaluated_at: number, run: Run): OutcomeRun {
  const { rule, rule_id, evaluator, evaluator_id, evaluator_version, generation } = run
  return {
    ...{ rule, rule_id, evaluator, evaluator_id, evaluator_version, generation, evaluated_at },
    status: run.status,
    status_reason: run.status_reason,
    scores: run.scores.map(outcomeScoreOf)
  }
}

function outcomeScoreOf(score: Run['scores'][number]) {
  const { score_id, name, value, label, passed, source_kind } = score
  return { score_id, name, value, label, passed, source_kind: source_kind ?? 'evaluator' }
}

/** Each run and each score by itself: of two that are the same, readers choose one. */
function isWholePlan(plan: OutcomePlan | null, runs: readonly OutcomeRun[]): boolean {
  if (plan === null || runs.length < plan.runs) return false
  return new Set(runs.map(runKeyOf)).size === runs.length
}
