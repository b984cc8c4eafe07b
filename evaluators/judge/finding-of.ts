/** A grade as a finding, if it is on the scale. */
import type { ScoreDefinition } from '../../core/evaluation/evaluator-definition.ts'
import type { Finding } from '../evaluator.ts'
import { holdToOutput } from '../hold-to-output.ts'
import type { Grade } from './read-reply.ts'

const reasonCharactersMax = 2000

/**
 * Never puts a grade right: one that is not on the scale is no score at all.
 * @throws {EvaluatorFailure} out_of_range, unknown_label
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
  return holdToOutput(finding, output)
}

/** Postgres takes no U+0000, and UTF-8 no half characters. */
function storable(text: string): string {
  return text.slice(0, reasonCharactersMax).replaceAll('\u0000', '').toWellFormed()
}
