/** Builds evaluator versions in the form in which they are saved, and runs them. */
import type {
  EvaluatorKind,
  EvaluatorVersion
} from '../../../core/evaluation/evaluator-definition.ts'
import type { Decision } from '../../../core/decision/decision.ts'
import { checkEvaluator } from '../../../evaluators/check-evaluator.ts'
import { compileEvaluator } from '../../../evaluators/compile-evaluator.ts'
import { completeDraft } from '../../../evaluators/complete-draft.ts'
import type { EvaluatorInput } from '../../../evaluators/complete-draft.ts'
import { configHashOf } from '../../../evaluators/config-hash.ts'
import type { Finding, Skipped } from '../../../evaluators/evaluator.ts'
import { aSubject } from './a-subject.ts'

export function aVersion(
  kind: EvaluatorKind,
  config: Record<string, unknown>,
  rest: Partial<EvaluatorInput> = {}
): EvaluatorVersion {
  const given: EvaluatorInput = { name: 'mine', kind, config, ...rest }
  const flaws = checkEvaluator(given)
  if (flaws.length > 0) throw new Error(JSON.stringify(flaws))
  const draft = completeDraft(given)
  const evaluator_id = 'evl_01938c4e5b7a7c3e9f002f6d1c1b8a55'
  return { ...draft, evaluator_id, version: 1, config_hash: configHashOf(draft) }
}

export function found(
  version: EvaluatorVersion,
  decision: Partial<Decision> = {}
): Finding | Skipped {
  return compileEvaluator(version).evaluate(aSubject(decision))
}
