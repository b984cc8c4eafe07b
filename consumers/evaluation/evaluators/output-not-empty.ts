/** output_not_empty: the agent answered something. */
import { verdict } from '../evaluator.ts'
import type { Evaluator } from '../evaluator.ts'

/** What programs write where an answer should be. */
const placeholders = new Set([
  '""',
  "''",
  '{}',
  '[]',
  'null',
  'none',
  'undefined',
  'nan',
  'n/a',
  '[object object]',
  '...',
  '…',
  '-'
])
const placeholderCharactersMax = 16

export const outputNotEmpty = Object.freeze<Evaluator>({
  name: 'output_not_empty',
  kind: 'heuristic',
  version: 1,
  evaluate: ({ decision, output }) => {
    if (decision.output.length === 0) return verdict(false, 'The output has no characters.')
    if (output.length === 0) return verdict(false, 'The output is white space only.')
    const isShort = output.length <= placeholderCharactersMax
    if (isShort && placeholders.has(output.toLowerCase())) {
      return verdict(false, 'The output is a placeholder, not an answer.')
    }
    return verdict(true, `The output has ${decision.output.length} characters.`)
  }
})
