/** What runs have in common: one object for each rule, evaluator version and type of score. */
import type { RunKind, ScoreDataType } from '../../core/evaluation/evaluation.ts'
import type { EvaluatorVersion } from '../../core/evaluation/evaluator-definition.ts'
import type { ResolvedRule } from '../../core/evaluation/rule.ts'
import type { PlannedRun } from '../../evaluators/planning/plan-rules.ts'

type KindsOfRule = Map<EvaluatorVersion, Map<ScoreDataType | null, RunKind>>

/** The objects of a rule set live as long as it is the current one. */
const known = new WeakMap<ResolvedRule, KindsOfRule>()

/** @param dataType of the score; null for a run without one */
export function kindOf({ rule, evaluator }: PlannedRun, dataType: ScoreDataType | null): RunKind {
  const ofRule = known.get(rule) ?? (new Map() as KindsOfRule)
  known.set(rule, ofRule)
  const kinds = ofRule.get(evaluator) ?? new Map<ScoreDataType | null, RunKind>()
  ofRule.set(evaluator, kinds)
  const kind = kinds.get(dataType) ?? makeKind(rule, evaluator, dataType)
  kinds.set(dataType, kind)
  return kind
}

function makeKind(
  { rule_id, name: rule }: ResolvedRule,
  { evaluator_id, name: evaluator, kind, version, config_hash, output }: EvaluatorVersion,
  data_type: ScoreDataType | null
): RunKind {
  const identity = {
    ...{ rule_id, rule, evaluator_id, evaluator, evaluator_kind: kind },
    ...{ evaluator_version: version, config_hash }
  }
  if (data_type === null) return Object.freeze({ ...identity, ...noScore })
  const { name, threshold, min, max, direction } = output
  const scale = { threshold, range_min: min, range_max: max, direction }
  return Object.freeze({ ...identity, name, data_type, ...scale })
}

const noScore = {
  ...{ name: null, data_type: null, threshold: null },
  ...{ range_min: null, range_max: null, direction: null }
}
