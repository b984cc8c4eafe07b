/** Evaluates one decision for a replay, with an evaluator that needs no network. */
import type { EvaluatorVersion } from '../../../core/evaluation/evaluator-definition.ts'
import { EvaluatorFailure } from '../../../evaluators/evaluator.ts'
import type { CompiledEvaluator } from '../../../evaluators/evaluator.ts'
import { createTimeoutBudget } from '../../../evaluators/timeout-budget.ts'
import { runEvaluators } from '../../../evaluators/run-evaluators.ts'
import { scoreOf } from '../../../evaluators/score-of.ts'
import { subjectOf } from '../../../evaluators/subject.ts'
import { cpuLimit } from '../../../platform/validation/cpu-limit.ts'
import { permanentFailure } from './judge-outcome.ts'
import type { EvaluateOffline } from './judge-outcome.ts'

interface EvaluateOneDependencies {
  readonly compile: (version: EvaluatorVersion) => CompiledEvaluator
  readonly onFailure: (version: EvaluatorVersion, error: Error) => void
}

export function createEvaluateOne({ compile, onFailure }: EvaluateOneDependencies) {
  const timeoutBudget = createTimeoutBudget()

  const evaluateOne: EvaluateOffline = (version, decision, runId) => {
    const job = { evaluator: compile(version), subject: subjectOf(decision) }
    const [outcome] = runEvaluators([job], cpuLimit, timeoutBudget)
    if (outcome === undefined) throw new Error('a run did not end')
    if (outcome.status === 'skipped') {
      return { kind: 'skipped', status_reason: outcome.status_reason }
    }
    if (outcome.status === 'failed') {
      const { error, status_reason } = outcome
      onFailure(version, error)
      const isItsWord = error instanceof EvaluatorFailure
      return permanentFailure(status_reason, isItsWord ? error.message : 'the evaluator has a bug')
    }
    return { kind: 'scored', scores: [scoreOf(runId, version.output, outcome.finding)] }
  }
  return evaluateOne
}
