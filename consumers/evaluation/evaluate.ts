/** evaluate: planned runs that need no network to their scores; each ends exactly one way. */
import type { Clock } from '../../core/clock.ts'
import type { Decision } from '../../core/decision/decision.ts'
import type { Evaluation, EvaluationPlan, PackedRun } from '../../core/evaluation/evaluation.ts'
import type { EvaluatorVersion } from '../../core/evaluation/evaluator-definition.ts'
import { EvaluatorFailure } from '../../evaluators/evaluator.ts'
import type { CompiledEvaluator } from '../../evaluators/evaluator.ts'
import { createPatience } from '../../evaluators/patience.ts'
import type { PlannedRun } from '../../evaluators/planning/plan-rules.ts'
import { runEvaluators } from '../../evaluators/run-evaluators.ts'
import type { Outcome } from '../../evaluators/run-evaluators.ts'
import { subjectOf } from '../../evaluators/subject.ts'
import { cpuLimit } from '../../platform/validation/cpu-limit.ts'
import { kindWithoutScore, scoredKindOf } from './run-kind.ts'

/** A decision with those of its runs that need no network. */
export interface PlannedDecision {
  readonly decision: Decision
  /** Published with the runs; null if it is stored already. */
  readonly plan: EvaluationPlan | null
  readonly runs: readonly PlannedRun[]
}

/** One evaluation for each decision that has runs, in their order. */
export type EvaluateAll = (planned: readonly PlannedDecision[]) => Evaluation[]

export interface EvaluateDependencies {
  readonly clock: Clock
  readonly compile: (version: EvaluatorVersion) => CompiledEvaluator
  /** Told of every run that gives no score by the evaluator's own fault. */
  readonly onFailure: (version: EvaluatorVersion, error: Error) => void
}

/** Safe to repeat: the same decision yields the same runs. */
export function createEvaluateAll({ clock, compile, onFailure }: EvaluateDependencies) {
  const patience = createPatience()

  const evaluateAll: EvaluateAll = (planned) => {
    const jobs = planned.flatMap(({ decision, runs }) => {
      const subject = subjectOf(decision)
      return runs.map(({ evaluator }) => ({ evaluator: compile(evaluator), subject }))
    })
    const outcomes = runEvaluators(jobs, cpuLimit, patience).values()
    const evaluated_at = clock.now()
    return planned.flatMap(({ decision, plan, runs }) => {
      if (runs.length === 0) return []
      const { decision_id, organization_id, agent_id, session_id, domain, received_at } = decision
      const identity = { decision_id, organization_id, agent_id, session_id, domain, received_at }
      const ended = runs.map((run) => endedRunOf(run, nextOf(outcomes)))
      return [{ ...identity, evaluated_at, plan, runs: ended, later_runs: [] }]
    })
  }

  function endedRunOf(planned: PlannedRun, outcome: Outcome): PackedRun {
    const { status } = outcome
    const duration_us = Math.min(outcome.duration_us, durationMax)
    if (outcome.status === 'succeeded') {
      const { value, label, passed, evidence, confidence } = outcome.finding
      return {
        ...scoredKindOf(planned, outcome.finding),
        ...{ status, status_reason: null, duration_us },
        ...{ value, label, passed, confidence: confidence ?? null },
        evidence: evidence === undefined ? null : JSON.stringify(evidence),
        error: null
      }
    }
    if (outcome.status === 'failed') onFailure(planned.evaluator, outcome.error)
    return {
      ...{ kind: kindWithoutScore(planned), status },
      ...{ status_reason: outcome.status_reason, duration_us },
      ...noScore,
      error: outcome.status === 'failed' ? sentenceOf(outcome.error) : null
    }
  }

  return evaluateAll
}

/** Maximum of a Postgres integer: 35 minutes in µs. */
const durationMax = 2 ** 31 - 1

const noScore = {
  ...{ value: null, label: null, passed: null, reason: null },
  ...{ reason_numbers: null, confidence: null, evidence: null }
} as const

/** What else is thrown may quote the decision, and stays in the log of this process. */
function sentenceOf(error: Error): string {
  if (error instanceof EvaluatorFailure) return error.message
  return `the evaluator has a bug: ${error.name}`
}

function nextOf(outcomes: Iterator<Outcome>): Outcome {
  const next = outcomes.next()
  if (next.done === true) throw new Error('a run did not end')
  return next.value
}
