/** A finding as the score that is published and stored. */
import { bareScore } from '../core/evaluation/evaluation.ts'
import type { Score } from '../core/evaluation/evaluation.ts'
import type { ScoreDefinition } from '../core/evaluation/evaluator-definition.ts'
import { uuidv5 } from '../core/ids/ids.ts'
import type { Finding } from './evaluator.ts'

/** The same run gives the same score its id, however often it is delivered. */
export function scoreOf(runId: string, output: ScoreDefinition, finding: Finding): Score {
  const { data_type, value, label, passed, reason, evidence, confidence } = finding
  const { name, threshold, min, max, direction } = output
  return {
    ...bareScore,
    score_id: uuidv5(runId, name),
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

/** From 0, the worst, to 1, the best; null where neither is known. */
function normalizedOf(value: number | null, output: ScoreDefinition): number | null {
  if (value === null || output.direction === 'none') return null
  const part = output.data_type === 'numeric' ? partOf(value, output) : value
  if (part === null) return null
  return output.direction === 'lower' ? 1 - part : part
}

function partOf(value: number, { min, max }: ScoreDefinition): number | null {
  return min === null || max === null || max <= min ? null : (value - min) / (max - min)
}
