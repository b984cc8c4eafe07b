/** Compiled evaluators: each version once, however many decisions and rules it is for. */
import type { EvaluatorVersion } from '../core/evaluation/evaluator-definition.ts'
import { createCache } from '../platform/process/cache.ts'
import { compileEvaluator } from './compile-evaluator.ts'
import type { CompiledEvaluator } from './evaluator.ts'
import type { EvaluatorState } from './kind.ts'

/** A pattern keeps at most 1 MiB, so all of them keep at most so many. */
const entriesMax = 500

/** A version that cannot be compiled is one whose every run fails. */
export function createEvaluatorCache(
  state: EvaluatorState
): (version: EvaluatorVersion) => CompiledEvaluator {
  const compiled = createCache<CompiledEvaluator>(entriesMax)

  return (version) => {
    const key = `${version.evaluator_id}/${version.version}`
    const known = compiled.get(key)
    if (known !== undefined) return known
    const made = compiledOrFailing(version, state)
    compiled.set(key, made)
    return made
  }
}

function compiledOrFailing(version: EvaluatorVersion, state: EvaluatorState): CompiledEvaluator {
  try {
    return compileEvaluator(version, state)
  } catch (error) {
    const evaluate = () => {
      throw error
    }
    return { version, isBounded: true, evaluate }
  }
}
