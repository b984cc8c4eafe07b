/** Evaluates decisions: runs planned evaluators that need no network. Each run ends exactly once.
 */
import type { Clock } from '../../core/clock.ts'
import type { Decision } from '../../core/decision/decision.ts'
import type { Evaluation, EvaluationPlan, PackedRun } from '../../core/evaluation/evaluation.ts'
import type { EvaluatorVersion } from '../../core/evaluation/evaluator-definition.ts'
import { EvaluatorFailure } from '../../evaluators/evaluator.ts'
import type { CompiledEvaluator } from '../../evaluators/evaluator.ts'
import { createTimeoutBudget } from '../../evaluators/timeout-budget.ts'
import type { PlannedRun } from '../../evaluators/planning/plan-rules.ts'
import { runEvaluators } from '../../evaluators/run-evaluators.ts'
import type { EvaluatorResult } from '../../evaluators/run-evaluators.ts'
import { subjectOf } from '../../evaluators/subject.ts'
import { cpuLimit } from '../../platform/validation/cpu-limit.ts'
import { kindWithoutScore, scoredKindOf } from './run-kind.ts'

/** A decision and its runs that need no network. */
export interface PlannedDecision {
  readonly decision: Decision
  /** Plan to publish with the runs, or null if the plan is already stored. */
  readonly plan: EvaluationPlan | null
  readonly runs: readonly PlannedRun[]
}

/** Returns one evaluation per decision that has runs, in the order of the decisions. */
export type EvaluateAll = (planned: readonly PlannedDecision[]) => Evaluation[]

interface EvaluateDependencies {
  readonly clock: Clock
  readonly compile: (version: EvaluatorVersion) => CompiledEvaluator
  /** Called for each run that fails because of its evaluator. */
  readonly onFailure: (version: EvaluatorVersion, error: Error) => void
}

/**
 * Creates the evaluation function. Evaluating a decision again yields the same runs, except for
 * times, timeouts and the results of evaluators that use the session memory.
 */
export function createEvaluateAll({ clock, compile, onFailure }: EvaluateDependencies) {
  const timeoutBudget = createTimeoutBudget()

  const evaluateAll: EvaluateAll = (planned) => {
    const jobs = planned.flatMap(({ decision, runs }) => {
      const subject = subjectOf(decision)
      return runs.map(({ evaluator }) => ({ evaluator: compile(evaluator), subject }))
    })
    const outcomes = runEvaluators(jobs, cpuLimit, timeoutBudget).values()
    const evaluated_at = clock.now()
    return planned.flatMap(({ decision, plan, runs }) => {
      if (runs.length === 0) return []
      const { decision_id, organization_id, agent_id, session_id, domain, received_at } = decision
      const identity = { decision_id, organization_id, agent_id, session_id, domain, received_at }
      const ended = runs.map((run) => endedRunOf(run, nextOf(outcomes)))
      return [{ ...identity, evaluated_at, plan, runs: ended, later_runs: [] }]
    })
  }

  function endedRunOf(planned: PlannedRun, outcome: EvaluatorResult): PackedRun {
    const { status } = outcome
    const duration_us = Math.min(outcome.duration_us, durationMax)
    if (outcome.status === 'succeeded') {
      const { value, label, passed, evidence, confidence } = outcome.finding
      return {
        ...scoredKindOf(planned, outcome.finding),
        status,
        status_reason: null,
        duration_us,
        value,
        label,
        passed,
        confidence: confidence ?? null,
        evidence: evidence === undefined ? null : JSON.stringify(evidence),
        error: null
      }
    }
    if (outcome.status === 'failed') onFailure(planned.evaluator, outcome.error)
    return {
      kind: kindWithoutScore(planned),
      status,
      status_reason: outcome.status_reason,
      duration_us,
      ...noScore,
      error: outcome.status === 'failed' ? sentenceOf(outcome.error) : null
    }
  }

  return evaluateAll
}

/** Maximum duration that fits a Postgres integer: 35 minutes in microseconds. */
const durationMax = 2 ** 31 - 1

const noScore = {
  value: null,
  label: null,
  passed: null,
  reason: null,
  reason_numbers: null,
  confidence: null,
  evidence: null
} as const

/**
 * Returns the error text to publish. Hides the message of unexpected errors, because it may quote
 * the decision.
 */
function sentenceOf(error: Error): string {
  if (error instanceof EvaluatorFailure) return error.message
  return `the evaluator has a bug: ${error.name}`
}

function nextOf(outcomes: Iterator<EvaluatorResult>): EvaluatorResult {
  const next = outcomes.next()
  if (next.done === true) throw new Error('a run did not end')
  return next.value
}
