/** Caches compiled evaluators, so that each version is compiled once for all decisions and rules.
 */
import type { EvaluatorVersion } from '../core/evaluation/evaluator-definition.ts'
import { createCache } from '../platform/process/cache.ts'
import { compileEvaluator } from './compile-evaluator.ts'
import type { CompiledEvaluator } from './evaluator.ts'
import type { EvaluatorState } from './kind.ts'

/**
 * Maximum number of compiled evaluators. This limits the memory of all patterns: each uses at most
 * 1 MiB, and an evaluator has a limited number of them.
 */
const entriesMax = 500

/**
 * Creates the cache. A version that cannot be compiled becomes an evaluator that fails in every
 * run.
 */
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
