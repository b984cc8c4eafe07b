/** Applies a score definition to a finding: checks range and labels, and sets `passed`. */
import type { ScoreDefinition } from '../core/evaluation/evaluator-definition.ts'
import { EvaluatorFailure } from './evaluator.ts'
import type { Finding } from './evaluator.ts'

/**
 * Maximum absolute value of a score. The sum of many squares of such values is still finite.
 */
export const valueMax = 1e100

/**
 * Checks that the value is in range or the label is defined, and derives `passed` from the
 * threshold or the passing labels.
 */
export function applyScoreDefinition(finding: Finding, output: ScoreDefinition): Finding {
  if (output.data_type === 'numeric') return applyRange(finding, output)
  return output.data_type === 'categorical' ? applyLabels(finding, output) : finding
}

function applyRange(finding: Finding, output: ScoreDefinition): Finding {
  const { value } = finding
  const { min, max, threshold, direction } = output
  if (value === null || !Number.isFinite(value)) {
    throw new EvaluatorFailure('out_of_range', 'the score is not a number')
  }
  if (Math.abs(value) > valueMax) {
    throw new EvaluatorFailure('out_of_range', `the score exceeds ${valueMax}`)
  }
  if ((min !== null && value < min) || (max !== null && value > max)) {
    throw new EvaluatorFailure('out_of_range', `the score is not between ${min} and ${max}`)
  }
  if (threshold === null) return finding
  return { ...finding, passed: direction === 'lower' ? value <= threshold : value >= threshold }
}

function applyLabels(finding: Finding, output: ScoreDefinition): Finding {
  const { label } = finding
  const labels = output.labels ?? {}
  if (label === null || !Object.hasOwn(labels, label)) {
    throw new EvaluatorFailure('unknown_label', 'the label is not defined')
  }
  const passed = output.pass === null ? null : output.pass.includes(label)
  return { ...finding, value: labels[label] ?? null, passed }
}
