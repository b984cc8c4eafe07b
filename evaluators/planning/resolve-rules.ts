/** Resolves rules: replaces evaluator references with the versions that they currently refer to. */
import type { EvaluatorVersion } from '../../core/evaluation/evaluator-definition.ts'
import type { EvaluatorReference, ResolvedRule, Rule } from '../../core/evaluation/rule.ts'

/** Returns the version of a reference, or undefined if it does not exist. */
export type FindVersion = (reference: EvaluatorReference) => EvaluatorVersion | undefined

/**
 * Resolves the references of all rules.
 * @throws if a rule names an evaluator that does not exist; such a rule cannot be saved
 */
export function resolveRules(rules: readonly Rule[], find: FindVersion): ResolvedRule[] {
  return rules.map((rule) => ({
    ...rule,
    evaluators: rule.evaluators.map((reference) => {
      const version = find(reference)
      if (version !== undefined) return version
      const { evaluator_id, version: wanted } = reference
      throw new Error(
        `rule ${rule.rule_id} refers to ${evaluator_id}, version ${wanted}, which does not exist`
      )
    })
  }))
}
