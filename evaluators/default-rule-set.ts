/** What every organization begins with: one rule, and evaluators that need nothing. */
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

/** Called by its name, which no evaluator of an organization can have. */
function builtIn(evaluator: Evaluator, check: CheckName, description: string): EvaluatorVersion {
  const { name, kind, version } = evaluator
  const draft = completeDraft({ name, kind, description, config: { check } })
  return Object.freeze({ ...draft, evaluator_id: name, version, config_hash: configHashOf(draft) })
}

/** Their names, versions and order are those of the runs that are stored already. */
export const builtInEvaluators: readonly EvaluatorVersion[] = Object.freeze([
  builtIn(outputNotEmpty, 'not_empty', 'The agent answered something.'),
  builtIn(outputComplete, 'complete', 'The answer does not visibly break off.'),
  builtIn(notRefusal, 'not_refusal', 'The agent did not decline the request.'),
  builtIn(jsonValid, 'json_valid', 'Where JSON was asked for, JSON came back.'),
  builtIn(noPersonalData, 'no_personal_data', 'Nothing personal that the input did not hold.'),
  builtIn(inputNotRepeated, 'input_not_repeated', 'The answer is not the request said again.'),
  builtIn(noRepetition, 'no_repetition', 'The answer does not run in a loop.'),
  builtIn(noSessionLoop, 'no_session_loop', 'The session does not give one answer over and over.')
])

/** It matches every decision. */
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
