/** An evaluator's version, made ready to run on one decision after the other. */
import { isOfflineKind } from '../core/evaluation/evaluator-definition.ts'
import type { EvaluatorVersion } from '../core/evaluation/evaluator-definition.ts'
import type { CompiledEvaluator, Evaluate } from './evaluator.ts'
import { holdToOutput } from './hold-to-output.ts'
import type { EvaluatorState } from './kind.ts'
import { kindTable } from './kind-table.ts'

const stateless: EvaluatorState = { sessions: null }

/**
 * Never throws for a version that `checkEvaluator` has nothing against.
 * @throws {Error} for a kind that needs the network, and for a check that is not known
 */
export function compileEvaluator(
  version: EvaluatorVersion,
  state: EvaluatorState = stateless
): CompiledEvaluator {
  const kind = isOfflineKind(version.kind) ? kindTable[version.kind](version.config) : null
  if (kind === null) throw new Error(`an evaluator of the kind ${version.kind} cannot run here`)
  const evaluate = kind.compile(version.config, state)
  return { version, isBounded: kind.isBounded, evaluate: withThreshold(version, evaluate) }
}

/** What passes by itself is left alone: these run on every decision. */
function withThreshold({ output }: EvaluatorVersion, evaluate: Evaluate): Evaluate {
  if (output.threshold === null) return evaluate
  return (subject) => {
    const found = evaluate(subject)
    return found.kind === 'finding' ? holdToOutput(found, output) : found
  }
}
