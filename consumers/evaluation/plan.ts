/** plan: which evaluators run on a decision, and under which rule. */
import type { Decision } from '../../core/decision.ts'
import type { Evaluator } from '../../evaluators/evaluator.ts'
import { inputNotRepeated } from '../../evaluators/heuristics/input-not-repeated.ts'
import { jsonValid } from '../../evaluators/heuristics/json-valid.ts'
import { noPersonalData } from '../../evaluators/heuristics/no-personal-data.ts'
import { noRepetition } from '../../evaluators/heuristics/no-repetition.ts'
import { notRefusal } from '../../evaluators/heuristics/not-refusal.ts'
import { outputComplete } from '../../evaluators/heuristics/output-complete.ts'
import { outputNotEmpty } from '../../evaluators/heuristics/output-not-empty.ts'

export interface PlannedRun {
  readonly rule: string
  readonly evaluator: Evaluator
}

/** They need no network and no configuration, so the very first decision gets scores. */
export const offlineEvaluators: readonly Evaluator[] = Object.freeze<Evaluator[]>([
  outputNotEmpty,
  outputComplete,
  notRefusal,
  jsonValid,
  noPersonalData,
  inputNotRepeated,
  noRepetition
])

const defaultPlan: readonly PlannedRun[] = Object.freeze(
  offlineEvaluators.map((evaluator) => ({ rule: 'default', evaluator }))
)

/** The rule `default` matches every decision and plans every offline evaluator. */
export function planOf(_decision: Decision): readonly PlannedRun[] {
  return defaultPlan
}
