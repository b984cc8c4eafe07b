/** A finding held against what its evaluator says of its score. */
import type { ScoreDefinition } from '../core/evaluation/evaluator-definition.ts'
import { EvaluatorFailure } from './evaluator.ts'
import type { Finding } from './evaluator.ts'

/** Of a score, whatever its sign: sums of larger ones, and of their squares, are no numbers. */
export const valueMax = 1e100

/**
 * With `passed` as the definition has it.
 * @throws {EvaluatorFailure} out_of_range, unknown_label
 */
export function holdToOutput(finding: Finding, output: ScoreDefinition): Finding {
  if (output.data_type === 'numeric') return heldToRange(finding, output)
  return output.data_type === 'categorical' ? heldToLabels(finding, output) : finding
}

function heldToRange(finding: Finding, output: ScoreDefinition): Finding {
  const { value } = finding
  const { min, max, threshold, direction } = output
  if (value === null || !Number.isFinite(value)) {
    throw new EvaluatorFailure('out_of_range', 'the score is not a number')
  }
  if (Math.abs(value) > valueMax) {
    throw new EvaluatorFailure('out_of_range', `the score is beyond ${valueMax}`)
  }
  if ((min !== null && value < min) || (max !== null && value > max)) {
    throw new EvaluatorFailure('out_of_range', `the score is not within ${min} and ${max}`)
  }
  if (threshold === null) return finding
  return { ...finding, passed: direction === 'lower' ? value <= threshold : value >= threshold }
}

function heldToLabels(finding: Finding, output: ScoreDefinition): Finding {
  const { label } = finding
  const labels = output.labels ?? {}
  if (label === null || !Object.hasOwn(labels, label)) {
    throw new EvaluatorFailure('unknown_label', 'the label is none of those that are defined')
  }
  const passed = output.pass === null ? null : output.pass.includes(label)
  return { ...finding, value: labels[label] ?? null, passed }
}
