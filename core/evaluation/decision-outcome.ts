/** What the stored runs of a decision come to: what lists are filtered by and sums are made of. */
import { effectiveOf, newestScores } from './effective-scores.ts'
import type { GivenScore } from './effective-scores.ts'
import { currentRunsOf, evaluationStateOf, unplannedStateOf } from './evaluation-status.ts'
import type { EvaluationState, RunIdentity, RunState } from './evaluation-status.ts'
import { verdictOf } from './evaluation.ts'
import type { Score, Verdict } from './evaluation.ts'
import { pushRuleId } from './rule.ts'

/** Of a plan, as far as its runs are counted. */
export interface OutcomePlan {
  /** How many runs were planned. */
  readonly runs: number
  /** What became of each rule: `planned`, or why not. */
  readonly outcomes: readonly string[]
}

export type OpenRun = RunIdentity & RunState

export type EffectiveScore = Pick<Score, 'value' | 'label' | 'passed'>

export type OutcomeScore = EffectiveScore & Pick<GivenScore, 'name' | 'source_kind' | 'score_id'>

/** A run that is stored. */
export interface EndedRun extends OpenRun {
  /** Milliseconds since 1970. */
  readonly evaluated_at: number
  readonly scores: readonly OutcomeScore[]
}

/** A score that is in the sums. */
export interface CountedScore {
  readonly name: string
  readonly source_kind: string
  /** Empty, and the version 0, when no evaluator gave it. */
  readonly evaluator_id: string
  readonly evaluator_version: number
  /** Null when there is none, or none that can be summed. */
  readonly value: number | null
  readonly passed: boolean | null
}

export interface DecisionOutcome extends EvaluationState {
  readonly verdict: Verdict
  readonly scores: Readonly<Record<string, EffectiveScore>>
  /** The newest of each name and source. */
  readonly counted: readonly CountedScore[]
}

export interface OutcomeFacts {
  /** Null before it is stored. */
  readonly plan: OutcomePlan | null
  readonly ended: readonly EndedRun[]
  readonly open: readonly OpenRun[]
}

/** As readers see the decision once all of it is stored. */
export function outcomeOf({ plan, ended, open }: OutcomeFacts): DecisionOutcome {
  const planned = [...ended, ...open].filter((run) => !isPushed(run))
  const current = currentRunsOf<OpenRun | EndedRun>(planned)
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

function hasEnded(run: OpenRun | EndedRun): run is EndedRun {
  return 'scores' in run
}

/** A run that was planned and is not known yet waits. */
export function stateOf(plan: OutcomePlan | null, current: readonly RunState[]): EvaluationState {
  if (plan !== null && plan.runs === 0 && current.length === 0) {
    return unplannedStateOf(plan.outcomes.filter((outcome) => outcome !== 'planned'))
  }
  const missing = Math.max(0, (plan?.runs ?? 0) - current.length)
  const waiting = { status: 'scheduled', status_reason: null }
  return evaluationStateOf([...current, ...Array.from({ length: missing }, () => waiting)])
}

interface ScoreOfRun extends GivenScore {
  readonly score: OutcomeScore
  readonly run: EndedRun
}

function givenScoresOf(run: EndedRun): ScoreOfRun[] {
  const { evaluated_at } = run
  return run.scores.map((score) => {
    const { name, source_kind } = score
    return { name, source_kind, evaluated_at, score, run, score_id: score.score_id }
  })
}

/** The greatest number that is summed: many of them, squared, are still a number. */
export const summedValueMax = 1e100

function countedOf({ score, run }: ScoreOfRun): CountedScore {
  const { name, source_kind, value, passed } = score
  return {
    ...{ name, source_kind, passed },
    // In a record without ids, names identify runs.
    evaluator_id: run.evaluator_id ?? (isPushed(run) ? '' : run.evaluator),
    evaluator_version: run.evaluator_version,
    value: summableOf(value)
  }
}

/** @returns null for a number that is not summed */
export function summableOf(value: number | null): number | null {
  return value !== null && Math.abs(value) <= summedValueMax ? value : null
}

/** Together they are part of a key, which has to fit a page. */
const keyUnitsMax = 150

/** Only who writes to the topic himself gives longer names. */
function isCountable({ name, source_kind, evaluator_id }: CountedScore): boolean {
  return name.length + source_kind.length + evaluator_id.length <= keyUnitsMax
}
