/** Compiles evaluator versions into functions that run on decisions. */
import { isOfflineKind } from '../core/evaluation/evaluator-definition.ts'
import type { EvaluatorVersion } from '../core/evaluation/evaluator-definition.ts'
import type { CompiledEvaluator, Evaluate } from './evaluator.ts'
import { applyScoreDefinition } from './apply-score-definition.ts'
import type { EvaluatorState } from './kind.ts'
import { kindTable } from './kind-table.ts'

const stateless: EvaluatorState = { sessions: null }

/**
 * Compiles a version of an offline evaluator that `checkEvaluator` accepts.
 * @throws {Error} if the kind needs the network, or the check is unknown
 */
export function compileEvaluator(
  version: EvaluatorVersion,
  state: EvaluatorState = stateless
): CompiledEvaluator {
  const kind = isOfflineKind(version.kind) ? kindTable[version.kind](version.config) : null
  if (kind === null) throw new Error(`the evaluator kind ${version.kind} cannot run offline`)
  const evaluate = kind.compile(version.config, state)
  return { version, isBounded: kind.isBounded, evaluate: withThreshold(version, evaluate) }
}

/**
 * Wraps `evaluate` to apply the threshold. Without a threshold, the wrapper is omitted because it
 * would cost time on every decision.
 */
function withThreshold({ output }: EvaluatorVersion, evaluate: Evaluate): Evaluate {
  if (output.threshold === null) return evaluate
  return (subject) => {
    const found = evaluate(subject)
    return found.kind === 'finding' ? applyScoreDefinition(found, output) : found
  }
}
