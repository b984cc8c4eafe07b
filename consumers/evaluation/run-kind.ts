/** Creates run kinds: one shared object per rule, evaluator version, data type and reason template.
 */
import type { PackedRun, RunKind, ScoreDataType } from '../../core/evaluation/evaluation.ts'
import type { EvaluatorVersion } from '../../core/evaluation/evaluator-definition.ts'
import { splitReason } from '../../core/evaluation/reason-template.ts'
import type { ResolvedRule } from '../../core/evaluation/rule.ts'
import type { Finding } from '../../evaluators/evaluator.ts'
import type { PlannedRun } from '../../evaluators/planning/plan-rules.ts'

/** Kinds by data type, then by reason template. Both keys are null for a run without a score. */
type Kinds = Map<ScoreDataType | null, Map<string | null, RunKind>>

/** Kinds by rule. An entry is garbage-collected with its rule set. */
const known = new WeakMap<ResolvedRule, Map<EvaluatorVersion, Kinds>>()

/**
 * Maximum number of reason templates per rule, evaluator and data type. Further reasons are
 * published in full.
 */
const templatesMax = 64
/**
 * Evaluator kind with reasons that depend on the customer's schema. Templates of such reasons would
 * rarely be reused.
 */
const quotingKind = 'json_schema'

export function kindWithoutScore(planned: PlannedRun): RunKind {
  return kindOf(planned, null, null)
}

/**
 * Returns the kind and the reason of a score. If the reason can be split into a template and
 * numbers, the template becomes part of the kind.
 */
export function scoredKindOf(
  planned: PlannedRun,
  { data_type, reason }: Pick<Finding, 'data_type' | 'reason'>
): Pick<PackedRun, 'kind' | 'reason' | 'reason_numbers'> {
  const found = planned.evaluator.kind === quotingKind ? null : splitReason(reason)
  const templates = templatesOf(planned, data_type)
  if (found === null || (templates.size >= templatesMax && !templates.has(found.template))) {
    return { kind: kindOf(planned, data_type, null), reason, reason_numbers: null }
  }
  const kind = kindOf(planned, data_type, found.template)
  return { kind, reason: null, reason_numbers: found.numbers }
}

function templatesOf({ rule, evaluator }: PlannedRun, dataType: ScoreDataType | null) {
  const ofRule = known.get(rule) ?? new Map<EvaluatorVersion, Kinds>()
  known.set(rule, ofRule)
  const kinds = ofRule.get(evaluator) ?? (new Map() as Kinds)
  ofRule.set(evaluator, kinds)
  const templates = kinds.get(dataType) ?? new Map<string | null, RunKind>()
  kinds.set(dataType, templates)
  return templates
}

function kindOf(
  planned: PlannedRun,
  dataType: ScoreDataType | null,
  template: string | null
): RunKind {
  const templates = templatesOf(planned, dataType)
  const kind = templates.get(template) ?? makeKind(planned, dataType, template)
  templates.set(template, kind)
  return kind
}

function makeKind(
  { rule: { rule_id, name: rule }, evaluator: ofVersion }: PlannedRun,
  data_type: ScoreDataType | null,
  reason_template: string | null
): RunKind {
  const { evaluator_id, name: evaluator, kind, version, config_hash, output } = ofVersion
  const identity = {
    rule_id,
    rule,
    evaluator_id,
    evaluator,
    evaluator_kind: kind,
    evaluator_version: version,
    config_hash
  }
  if (data_type === null) return Object.freeze({ ...identity, ...noScore })
  const { name, threshold, min, max, direction } = output
  const scale = { threshold, range_min: min, range_max: max, direction }
  return Object.freeze({ ...identity, name, data_type, ...scale, reason_template })
}

const noScore = {
  name: null,
  data_type: null,
  threshold: null,
  range_min: null,
  range_max: null,
  direction: null,
  reason_template: null
}
