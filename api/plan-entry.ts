/** What was planned for a decision, and what became of each part: why there is a score, or none. */
import { isMismatch, runKeyOf } from '../core/evaluation/evaluation-status.ts'
import type { EvaluationRun } from './evaluation-run.ts'
import type { DecisionPlan, PlannedRule } from './read-evaluations.ts'

/** A rule that planned nothing, or one evaluator of a rule that did. */
export interface PlanEntry {
  readonly rule: string
  readonly rule_id: string | null
  /** Null for a rule that planned nothing, as are the other members of the evaluator. */
  readonly evaluator: string | null
  readonly evaluator_id: string | null
  readonly evaluator_version: number | null
  /** Null before it is on its way. */
  readonly run_id: string | null
  /** `not_matched` or `skipped` of a rule, or the status of the run. */
  readonly outcome: string
  readonly reason: string | null
}

const planned = 'planned'

/** @param runs the current ones that rules planned. */
export function planEntriesOf(
  plan: DecisionPlan | null,
  runs: readonly EvaluationRun[]
): readonly PlanEntry[] {
  const byKey = new Map(runs.map((run) => [runKeyOf(run), run]))
  const entries = (plan?.rules ?? []).flatMap((rule) => entriesOfRule(rule, byKey))
  // The rest was planned under a rule set that has changed since, or its plan is not stored yet.
  return [...entries, ...[...byKey.values()].map(entryOfRun)]
}

/** Takes the runs that it finds. */
function entriesOfRule(rule: PlannedRule, runs: Map<string, EvaluationRun>): PlanEntry[] {
  const { rule_id, name, outcome } = rule
  if (outcome !== planned) return [{ ...noEvaluator, rule: name, rule_id, ...unplanned(outcome) }]
  return rule.evaluators.map(({ evaluator_id, name: evaluator, version }) => {
    const key = runKeyOf({ rule: name, rule_id, evaluator, evaluator_id })
    const run = runs.get(key)
    runs.delete(key)
    if (run !== undefined) return entryOfRun(run)
    const named = { rule: name, rule_id, evaluator, evaluator_id, evaluator_version: version }
    return { ...named, run_id: null, outcome: 'scheduled', reason: null }
  })
}

const noEvaluator = Object.freeze({
  evaluator: null,
  evaluator_id: null,
  evaluator_version: null,
  run_id: null
})

function unplanned(outcome: string) {
  return { outcome: isMismatch(outcome) ? 'not_matched' : 'skipped', reason: outcome }
}

function entryOfRun(run: EvaluationRun): PlanEntry {
  const { rule, rule_id, evaluator, evaluator_id, evaluator_version, run_id } = run
  const named = { rule, rule_id, evaluator, evaluator_id, evaluator_version, run_id }
  return { ...named, outcome: run.status, reason: run.status_reason }
}
