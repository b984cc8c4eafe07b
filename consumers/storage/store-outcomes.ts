/** Keeps what the runs of a decision come to, and its sums, in the transaction that stores them. */
import { identityNameOf } from '../../core/decision/decision.ts'
import { outcomeOf } from '../../core/evaluation/decision-outcome.ts'
import type { EndedRun, OutcomePlan } from '../../core/evaluation/decision-outcome.ts'
import { runKeyOf } from '../../core/evaluation/evaluation-status.ts'
import type { Run } from '../../core/evaluation/evaluation.ts'
import { pushRuleId } from '../../core/evaluation/rule.ts'
import { changeOutcomeHours } from '../../store/change-outcome-hours.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import type { EndedRun as StoredRun } from './insert-runs.ts'
import { insertOutcomes } from './outcome-rows.ts'
import type { OutcomeRow } from './outcome-rows.ts'
import { readPlans } from './read-outcome-facts.ts'
import { refreshOutcomes } from './refresh-outcomes.ts'

/**
 * The runs of a decision may come over several partitions, and be stored by two transactions at
 * once that do not see each other. So they take turns by the row of its outcome: whoever inserts it
 * is alone, and whoever finds it there waits, and then sees the runs of both. All insert in the
 * order of the key, and lock after that what they found, in the same order: nobody deadlocks.
 * @param stored runs that were not there before, each once
 */
export async function storeOutcomes(
  transaction: Queryable,
  stored: readonly StoredRun[]
): Promise<void> {
  if (stored.length === 0) return
  const decisions = [
    ...Map.groupBy(stored, ({ evaluation }) => identityNameOf(evaluation)).values()
  ]
  const plans = await readPlans(
    transaction,
    decisions.flatMap(([first]) => first?.evaluation ?? [])
  )
  const outcomes = decisions.flatMap((runs) => newOutcomesOf(runs, plans))
  const inserted = await insertOutcomes(
    transaction,
    outcomes.map(({ row }) => row)
  )
  const isInserted = new Set(inserted)
  const others = outcomes.filter(({ row, isWhole }) => !isWhole || !isInserted.has(row))
  const { added, removed } = await refreshOutcomes(
    transaction,
    others.map(({ row }) => row)
  )
  await changeOutcomeHours(transaction, { added: [...inserted, ...added], removed })
}

interface NewOutcome {
  readonly row: OutcomeRow
  /** Whether there can be nothing else, if the row is new: most decisions come like that. */
  readonly isWhole: boolean
}

/** One for the runs of one decision. */
function newOutcomesOf(
  stored: readonly StoredRun[],
  plans: ReadonlyMap<string, OutcomePlan>
): NewOutcome[] {
  const [first] = stored
  if (first === undefined) return []
  const { organization_id, decision_id, agent_id, session_id, domain } = first.evaluation
  const plan = plans.get(identityNameOf(first.evaluation)) ?? null
  const ended = stored.map(endedRunOf)
  const row = {
    ...{ organization_id, decision_id, agent_id, session_id, domain },
    received_at: new Date(first.evaluation.received_at),
    ...outcomeOf({ plan, ended, open: [] })
  }
  return [{ row, isWhole: isWholePlan(plan, ended) }]
}

function endedRunOf({ evaluation, run }: StoredRun): EndedRun {
  const { rule, rule_id, evaluator, evaluator_id, evaluator_version, generation } = run
  return {
    ...{ rule, rule_id, evaluator, evaluator_id, evaluator_version, generation },
    status: run.status,
    status_reason: run.status_reason,
    evaluated_at: evaluation.evaluated_at,
    scores: run.scores.map(outcomeScoreOf)
  }
}

function outcomeScoreOf(score: Run['scores'][number]) {
  const { score_id, name, value, label, passed, source_kind } = score
  return { score_id, name, value, label, passed, source_kind: source_kind ?? 'evaluator' }
}

/** Each run and each score by itself: of two that are the same, readers choose one. */
function isWholePlan(plan: OutcomePlan | null, runs: readonly EndedRun[]): boolean {
  if (plan === null || runs.length < plan.runs) return false
  const isFirst = ({ rule_id, generation }: EndedRun): boolean =>
    rule_id !== pushRuleId && generation === 0
  const scoreIds = runs.flatMap(({ scores }) => scores.map(({ score_id }) => score_id))
  return runs.every(isFirst) && areDistinct(runs.map(runKeyOf)) && areDistinct(scoreIds)
}

function areDistinct(texts: readonly string[]): boolean {
  return new Set(texts).size === texts.length
}
