/** Computes the evaluation of a decision, in the form returned by the API, from its plan and runs.
 */
import { effectiveOf, newestScores } from '../core/evaluation/effective-scores.ts'
import { currentRunsOf, evaluationProgressOf } from '../core/evaluation/evaluation-status.ts'
import { evaluationStateOf, unplannedStateOf } from '../core/evaluation/evaluation-status.ts'
import { isMismatch, runKeyOf } from '../core/evaluation/evaluation-status.ts'
import { verdictOf } from '../core/evaluation/evaluation.ts'
import { pushRuleId } from '../core/evaluation/rule.ts'
import type { Static } from '../http/schema.ts'
import { newestFirst } from './evaluation-run.ts'
import type { EvaluationRun, RunScore } from './evaluation-run.ts'
import type { DecisionEvaluation, DecisionPlan, PlannedRule } from './read-evaluations.ts'
import type { scores as scoresSchema } from './response-schemas.ts'
import type { PlanEntry } from './results/schemas.ts'

/** Scores by name. */
type ScoresByName = Static<typeof scoresSchema>
type ScoreEntry = ScoresByName[string]
/** A score with fields of the run that produced it. */
type ScoreView = ScoreEntry['other_sources'][string]

export type EvaluationView = ReturnType<typeof evaluationViewOf>

export function evaluationViewOf({ plan, runs }: DecisionEvaluation) {
  const isPushed = ({ rule_id }: EvaluationRun): boolean => rule_id === pushRuleId
  // Replayed runs are replaced by their replays.
  const planned = currentRunsOf(runs.filter((run) => !isPushed(run)))
  const entries = planEntriesOf(plan, planned)
  const states = entries
    .filter(({ evaluator }) => evaluator !== null)
    .map(({ outcome, reason }) => ({ status: outcome, status_reason: reason }))
  const isUnplanned = plan !== null && states.length === 0
  const state = isUnplanned
    ? unplannedStateOf(entries.flatMap(({ reason }) => reason ?? []))
    : evaluationStateOf(states)
  const scores = scoresByName([...planned, ...runs.filter(isPushed)])
  return {
    ...state,
    verdict: verdictOf(Object.values(scores).map(({ effective_passed: passed }) => ({ passed }))),
    progress: evaluationProgressOf(states),
    plan: entries,
    scores
  }
}

/** @param runs the current runs planned by rules */
function planEntriesOf(
  plan: DecisionPlan | null,
  runs: readonly EvaluationRun[]
): readonly PlanEntry[] {
  const byKey = new Map(runs.map((run) => [runKeyOf(run), run]))
  const entries = (plan?.rules ?? []).flatMap((rule) => entriesOfRule(rule, byKey))
  // The remaining runs are from an earlier rule set, or their plan is not stored yet.
  return [...entries, ...[...byKey.values()].map(entryOfRun)]
}

/** Returns the entries of a rule, and removes their runs from `runs`. */
function entriesOfRule(rule: PlannedRule, runs: Map<string, EvaluationRun>): PlanEntry[] {
  const { rule_id, name, outcome } = rule
  if (outcome !== 'planned') return [{ ...noEvaluator, rule: name, rule_id, ...unplanned(outcome) }]
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

/**
 * Score sources in order of preference. If a name has scores from several sources, the score from
 * the first of these sources is shown.
 */
const shownFirst = ['evaluator', 'api', 'human', 'end_user']

/**
 * Groups scores by name, in the order in which the names were first scored. Uses
 * Object.fromEntries, so that a score can be named `__proto__`.
 */
export function scoresByName(runs: readonly EvaluationRun[]): ScoresByName {
  const given = newestFirst(runs)
    .toReversed()
    .flatMap((run) => run.scores.map((score) => givenScoreOf(run, score)))
  const entries = [...newestScores(given)].map(([name, sources]) => {
    const views = [...sources].map(([kind, { view }]) => [kind, view] as const)
    return [name, scoreEntryOf(new Map(views))] as const
  })
  return Object.fromEntries(entries)
}

function givenScoreOf(run: EvaluationRun, score: RunScore) {
  const { name, source_kind, score_id } = score
  const evaluated_at = Number(run.evaluated_at)
  return { name, source_kind, score_id, evaluated_at, view: scoreViewOf(run, score) }
}

/** @param sources must not be empty */
function scoreEntryOf(sources: ReadonlyMap<string, ScoreView>): ScoreEntry {
  const shown = effectiveOf(sources, shownFirst)
  const effective = effectiveOf(sources)
  const others = [...sources].filter(([, view]) => view !== shown)
  return {
    ...shown,
    effective_value: effective.value ?? effective.label,
    effective_passed: effective.passed,
    effective_source: effective.source_kind,
    other_sources: Object.fromEntries(others)
  }
}

/**
 * Parses the evidence of a score. Returns null for invalid JSON, because producers can write any
 * text to the evaluations topic.
 */
export function evidenceOf(text: string | null): unknown {
  try {
    return text === null ? null : (JSON.parse(text) as unknown)
  } catch {
    return null
  }
}

export function scoreViewOf(run: EvaluationRun, { name: _, ...score }: RunScore): ScoreView {
  const { run_id, rule, rule_id, evaluator, evaluator_id, evaluator_version } = run
  const origin = { run_id, rule, rule_id, evaluator, evaluator_id, evaluator_version }
  const evaluated_at = new Date(run.evaluated_at ?? 0).toISOString()
  return { ...score, ...origin, evidence: evidenceOf(score.evidence), evaluated_at }
}
