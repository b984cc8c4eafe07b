/** resolve: the rules of an organization, with the versions that they name at this moment. */
import type { EvaluatorVersion } from '../../core/evaluation/evaluator-definition.ts'
import type { EvaluatorReference, ResolvedRule, Rule } from '../../core/evaluation/rule.ts'

/** The version that a reference names, or undefined when there is none. */
export type FindVersion = (reference: EvaluatorReference) => EvaluatorVersion | undefined

/** @throws when a rule names an evaluator that does not exist: rules are checked when saved. */
export function resolveRules(rules: readonly Rule[], find: FindVersion): ResolvedRule[] {
  return rules.map((rule) => ({
    ...rule,
    evaluators: rule.evaluators.map((reference) => {
      const version = find(reference)
      if (version !== undefined) return version
      const { evaluator_id, version: wanted } = reference
      throw new Error(`rule ${rule.rule_id} names ${evaluator_id}, version ${wanted}: not there`)
    })
  }))
}
