/** Defines the default rule set of every organization: one rule with the built-in evaluators. */
import type { EvaluatorVersion } from '../core/evaluation/evaluator-definition.ts'
import { defaultRuleId } from '../core/evaluation/rule.ts'
import type { RuleSet } from '../core/evaluation/rule.ts'
import { completeDraft } from './complete-draft.ts'
import { configHashOf } from './config-hash.ts'
import type { Evaluator } from './evaluator.ts'
import type { CheckName } from './heuristics/check-table.ts'
import { inputNotRepeated } from './heuristics/input-not-repeated.ts'
import { jsonValid } from './heuristics/json-valid.ts'
import { noPersonalData } from './heuristics/personal-data/no-personal-data.ts'
import { noRepetition } from './heuristics/no-repetition.ts'
import { noSessionLoop } from './heuristics/no-session-loop.ts'
import { notRefusal } from './heuristics/not-refusal.ts'
import { outputComplete } from './heuristics/output-complete.ts'
import { outputNotEmpty } from './heuristics/output-not-empty.ts'

/** Creates a built-in evaluator. Its id is its name, which is reserved. */
function builtIn(evaluator: Evaluator, check: CheckName, description: string): EvaluatorVersion {
  const { name, kind, version } = evaluator
  const draft = completeDraft({ name, kind, description, config: { check } })
  return Object.freeze({ ...draft, evaluator_id: name, version, config_hash: configHashOf(draft) })
}

/**
 * Built-in evaluators, in the order in which the API lists them. Stored runs refer to their ids,
 * names and versions.
 */
export const builtInEvaluators: readonly EvaluatorVersion[] = Object.freeze([
  builtIn(outputNotEmpty, 'not_empty', 'The output is not empty.'),
  builtIn(outputComplete, 'complete', 'The output is not visibly cut off.'),
  builtIn(notRefusal, 'not_refusal', 'The agent did not decline the request.'),
  builtIn(jsonValid, 'json_valid', 'The output is JSON if JSON was requested.'),
  builtIn(
    noPersonalData,
    'no_personal_data',
    'The output discloses no personal data that the input did not contain.'
  ),
  builtIn(inputNotRepeated, 'input_not_repeated', 'The output does not repeat the request.'),
  builtIn(noRepetition, 'no_repetition', 'The output is not stuck in a loop.'),
  builtIn(noSessionLoop, 'no_session_loop', 'The session does not keep giving the same answer.')
])

/** Rule set that matches every decision. */
export const defaultRuleSet: RuleSet = Object.freeze({
  version: 0,
  rules: [
    {
      rule_id: defaultRuleId,
      name: defaultRuleId,
      enabled: true,
      match: {},
      sampling: { rate: 1, key: 'decision', cohort: 'default' },
      budget: { usd_per_day: null, calls_per_day: null, on_exhausted: 'skip' },
      ttl_seconds: 86_400,
      max_attempts: 8,
      evaluators: builtInEvaluators
    }
  ]
} satisfies RuleSet)
