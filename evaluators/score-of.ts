/** Converts a finding to the score that is published and stored. */
import { bareScore } from '../core/evaluation/evaluation.ts'
import type { Score } from '../core/evaluation/evaluation.ts'
import type { ScoreDefinition } from '../core/evaluation/evaluator-definition.ts'
import { scoreIdOf } from '../core/ids/run-id.ts'
import type { Finding } from './evaluator.ts'

type Scale = Pick<ScoreDefinition, 'data_type' | 'min' | 'max'> & {
  readonly direction: string | null
}

/**
 * Creates the score of a run. The id is derived from the run's id, so a redelivered run gets the
 * same score id.
 */
export function scoreOf(runId: string, output: ScoreDefinition, finding: Finding): Score {
  const { data_type, value, label, passed, reason, evidence, confidence } = finding
  const { name, threshold, min, max, direction } = output
  return {
    ...bareScore,
    score_id: scoreIdOf(runId, name),
    name,
    data_type,
    value,
    label,
    passed,
    reason,
    normalized: normalizedOf(value, output),
    threshold,
    range_min: min,
    range_max: max,
    direction,
    confidence: confidence ?? null,
    evidence: evidence === undefined ? null : JSON.stringify(evidence)
  }
}

/** Returns a value from 0 (worst) to 1 (best), or null if the scale has no worst and best. */
export function normalizedOf(value: number | null, scale: Scale): number | null {
  if (value === null || scale.direction === 'none') return null
  const part = scale.data_type === 'numeric' ? partOf(value, scale) : value
  if (part === null) return null
  return scale.direction === 'lower' ? 1 - part : part
}

/**
 * Limits that prevent overflow and underflow here and in the view packed_runs. A score with a
 * larger number or a narrower range has no normalized value. Smaller distances from `min` count as
 * 0.
 */
const limits = { number: 1e100, width: 1e-100, distance: 1e-200 }

function partOf(value: number, { min, max }: Scale): number | null {
  if (min === null || max === null) return null
  if (Math.max(...[value, min, max].map(Math.abs)) > limits.number) return null
  if (max - min < limits.width) return null
  return Math.abs(value - min) < limits.distance ? 0 : (value - min) / (max - min)
}
