/** Converts a judge's grade to a finding. */
import type { ScoreDefinition } from '../../core/evaluation/evaluator-definition.ts'
import type { Finding } from '../evaluator.ts'
import { applyScoreDefinition } from '../apply-score-definition.ts'
import type { Grade } from './read-reply.ts'

const reasonCharactersMax = 2000

/**
 * Converts a grade to a finding. Rejects a grade that is not on the scale instead of correcting it.
 * @throws {EvaluatorFailure} with the reason `out_of_range` or `unknown_label`
 */
export function findingOf({ grade, reasoning }: Grade, output: ScoreDefinition): Finding {
  const isLabel = typeof grade === 'string'
  const finding: Finding = {
    kind: 'finding',
    data_type: isLabel ? 'categorical' : 'numeric',
    value: isLabel ? null : grade,
    label: isLabel ? grade : null,
    passed: null,
    reason: storable(reasoning)
  }
  return applyScoreDefinition(finding, output)
}

/**
 * Removes U+0000, which Postgres rejects, and replaces unpaired surrogates, which UTF-8 cannot
 * encode.
 */
function storable(text: string): string {
  return text.slice(0, reasonCharactersMax).replaceAll('\u0000', '').toWellFormed()
}
