/** evaluate: planned runs that need no network to their scores; each ends exactly one way. */
import type { Clock } from '../../core/clock.ts'
import type { Decision } from '../../core/decision/decision.ts'
import { bareRun } from '../../core/evaluation/evaluation.ts'
import type { Evaluation, Run } from '../../core/evaluation/evaluation.ts'
import type { EvaluatorVersion } from '../../core/evaluation/evaluator-definition.ts'
import { runIdOf } from '../../core/ids/run-id.ts'
import { EvaluatorFailure } from '../../evaluators/evaluator.ts'
import type { CompiledEvaluator } from '../../evaluators/evaluator.ts'
import { createPatience } from '../../evaluators/patience.ts'
import type { PlannedRun } from '../../evaluators/planning/plan-rules.ts'
import { runEvaluators } from '../../evaluators/run-evaluators.ts'
import type { Outcome } from '../../evaluators/run-evaluators.ts'
import { scoreOf } from '../../evaluators/score-of.ts'
import { subjectOf } from '../../evaluators/subject.ts'
import { cpuLimit } from '../../platform/validation/cpu-limit.ts'

/** A decision with those of its runs that need no network. */
export interface PlannedDecision {
  readonly decision: Decision
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

const firstGeneration = 0

/** Safe to repeat: the same decision yields the same run and score ids. */
export function createEvaluateAll({ clock, compile, onFailure }: EvaluateDependencies) {
  const patience = createPatience()

  function endedRunOf(decision: Decision, planned: PlannedRun, outcome: Outcome): Run {
    const { rule, evaluator } = planned
    if (outcome.status === 'failed') onFailure(evaluator, outcome.error)
    const run_id = idOf(decision, planned)
    const isScored = outcome.status === 'succeeded'
    return {
      ...bareRun,
      run_id,
      rule: rule.name,
      rule_id: rule.rule_id,
      evaluator: evaluator.name,
      evaluator_id: evaluator.evaluator_id,
      evaluator_kind: evaluator.kind,
      evaluator_version: evaluator.version,
      config_hash: evaluator.config_hash,
      generation: firstGeneration,
      status: outcome.status,
      status_reason: isScored ? null : outcome.status_reason,
      attempts: 1,
      duration_us: outcome.duration_us,
      scores: isScored ? [scoreOf(run_id, evaluator.output, outcome.finding)] : [],
      error: outcome.status === 'failed' ? sentenceOf(outcome.error) : null
    }
  }

  const evaluateAll: EvaluateAll = (planned) => {
    const jobs = planned.flatMap(({ decision, runs }) => {
      const subject = subjectOf(decision)
      return runs.map(({ evaluator }) => ({ evaluator: compile(evaluator), subject }))
    })
    const outcomes = runEvaluators(jobs, cpuLimit, patience).values()
    const evaluated_at = clock.now()
    return planned.flatMap(({ decision, runs }) => {
      if (runs.length === 0) return []
      const { decision_id, organization_id, agent_id, session_id, domain, received_at } = decision
      const identity = { decision_id, organization_id, agent_id, session_id, domain, received_at }
      const ended = runs.map((run) => endedRunOf(decision, run, nextOf(outcomes)))
      return [{ ...identity, evaluated_at, runs: ended }]
    })
  }
  return evaluateAll
}

function idOf({ organization_id, decision_id }: Decision, { rule, evaluator }: PlannedRun): string {
  const { rule_id } = rule
  const { evaluator_id, version } = evaluator
  const origin = { organization_id, decision_id, rule_id, evaluator_id, version }
  return runIdOf({ ...origin, generation: firstGeneration })
}

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
