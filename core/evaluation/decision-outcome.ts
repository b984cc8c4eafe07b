/** Derives the outcome of a decision's evaluation from its stored runs, for lists and hourly sums.
 */
import { effectiveOf, newestScores } from './effective-scores.ts'
import type { SourcedScore } from './effective-scores.ts'
import { currentRunsOf, evaluationStateOf, unplannedStateOf } from './evaluation-status.ts'
import type { EvaluationState, RunIdentity, RunState } from './evaluation-status.ts'
import { verdictOf } from './evaluation.ts'
import type { Score, Verdict } from './evaluation.ts'
import { pushRuleId } from './rule.ts'

/** The part of a plan that determines the outcome. */
export interface OutcomePlan {
  /** Number of planned runs. */
  readonly runs: number
  /** For each rule, `planned` or the reason why it planned nothing. */
  readonly outcomes: readonly string[]
}

export type OutcomeRun = RunIdentity & RunState

type EffectiveScore = Pick<Score, 'value' | 'label' | 'passed'>

export type OutcomeScore = EffectiveScore & Pick<SourcedScore, 'name' | 'source_kind' | 'score_id'>

/** A run that has ended and is stored. */
export interface EndedOutcomeRun extends OutcomeRun {
  /** Milliseconds since 1970. */
  readonly evaluated_at: number
  readonly scores: readonly OutcomeScore[]
}

/** A score that is included in the hourly sums. */
export interface CountedScore {
  readonly name: string
  readonly source_kind: string
  /** Empty, with version 0, if the score is not from an evaluator. */
  readonly evaluator_id: string
  readonly evaluator_version: number
  /** Null if the score has no value or the value is too large to be summed. */
  readonly value: number | null
  readonly passed: boolean | null
}

export interface DecisionOutcome extends EvaluationState {
  readonly verdict: Verdict
  readonly scores: Readonly<Record<string, EffectiveScore>>
  /** The newest score of each name and source, unless it does not fit in the index key. */
  readonly counted: readonly CountedScore[]
}

interface OutcomeInput {
  /** Null until the plan is stored. */
  readonly plan: OutcomePlan | null
  readonly ended: readonly EndedOutcomeRun[]
  readonly open: readonly OutcomeRun[]
}

/** Derives the outcome from the plan, the ended runs and the pending runs. */
export function outcomeOf({ plan, ended, open }: OutcomeInput): DecisionOutcome {
  const planned = [...ended, ...open].filter((run) => !isPushed(run))
  const current = currentRunsOf<OutcomeRun | EndedOutcomeRun>(planned)
  const state = stateOf(plan, current)
  const shown = [...current.filter(hasEnded), ...ended.filter(isPushed)]
  const byName = [...newestScores(shown.flatMap(givenScoresOf)).values()]
  const newest = byName.flatMap((sources) => [...sources.values()])
  const effective = byName.map((sources) => effectiveOf(sources))
  return {
    ...state,
    verdict: verdictOf(effective.map(({ score }) => score)),
    scores: Object.fromEntries(
      effective.map(({ score: { name, value, label, passed } }) => [name, { value, label, passed }])
    ),
    counted: newest.map(countedOf).filter(isCountable)
  }
}

function isPushed({ rule_id }: RunIdentity): boolean {
  return rule_id === pushRuleId
}

function hasEnded(run: OutcomeRun | EndedOutcomeRun): run is EndedOutcomeRun {
  return 'scores' in run
}

/** Derives the state. Planned runs that are not stored yet count as waiting. */
export function stateOf(plan: OutcomePlan | null, current: readonly RunState[]): EvaluationState {
  if (plan !== null && plan.runs === 0 && current.length === 0) {
    return unplannedStateOf(plan.outcomes.filter((outcome) => outcome !== 'planned'))
  }
  const missing = Math.max(0, (plan?.runs ?? 0) - current.length)
  const waiting = { status: 'scheduled', status_reason: null }
  return evaluationStateOf([...current, ...Array.from({ length: missing }, () => waiting)])
}

interface ScoreOfRun extends SourcedScore {
  readonly score: OutcomeScore
  readonly run: EndedOutcomeRun
}

function givenScoresOf(run: EndedOutcomeRun): ScoreOfRun[] {
  const { evaluated_at } = run
  return run.scores.map((score) => {
    const { name, source_kind } = score
    return { name, source_kind, evaluated_at, score, run, score_id: score.score_id }
  })
}

/**
 * Maximum absolute value that is summed. The sum of many squares of such values is still finite.
 */
export const summedValueMax = 1e100

function countedOf({ score, run }: ScoreOfRun): CountedScore {
  const { name, source_kind, value, passed } = score
  return {
    name,
    source_kind,
    passed,
    // Records without ids identify evaluators by name.
    evaluator_id: run.evaluator_id ?? (isPushed(run) ? '' : run.evaluator),
    evaluator_version: run.evaluator_version,
    value: summableOf(value)
  }
}

/** Returns the value, or null if it is too large to be summed. */
export function summableOf(value: number | null): number | null {
  return value !== null && Math.abs(value) <= summedValueMax ? value : null
}

/**
 * Maximum total length of name, source and evaluator id in UTF-16 units. An index key contains all
 * three, and Postgres limits its size.
 */
const keyUnitsMax = 150

/**
 * Checks whether the score fits in the index key. Only producers other than Sluice write longer
 * names.
 */
function isCountable({ name, source_kind, evaluator_id }: CountedScore): boolean {
  return name.length + source_kind.length + evaluator_id.length <= keyUnitsMax
}
