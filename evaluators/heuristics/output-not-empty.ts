/** output_not_empty: the agent answered something. */
import { verdict } from '../evaluator.ts'
import type { Evaluator } from '../evaluator.ts'

/** What programs and models write where an answer should be; "none" is not among them. */
const placeholders = new Set(
  [
    ['""', "''", 'null', 'undefined', 'nan', '[object object]', '{}', '[]'],
    ['.', '..', '...', '…', '-', '--', '---', '—', 'n/a', 'tbd', 'todo', 'lorem ipsum'],
    ['[no response]', '(no response)', '<no response>', 'no response', '[empty]', '(empty)'],
    ['<empty>', '[no output]', '(no output)', '<no output>', 'no output', '[no content]']
  ].flat()
)
/** No result is a result where JSON was asked for. */
const emptyJson = new Set(['{}', '[]', 'null'])
/** A template whose variable was never filled in. */
const templates = [
  String.raw`\{\{[^{}]{1,60}\}\}`,
  String.raw`\$\{[^{}]{1,60}\}`,
  '<(?:answer|output|response)>',
  String.raw`\[(?:your|insert)\b[^\]]{1,60}\]`
]
const template = new RegExp(`^(?:${templates.join('|')})$`)
const placeholderCharactersMax = 64
/** White space, control characters, and characters that have no shape. */
const invisible = /^[\s\p{Cc}\p{Cf}\u115f\u1160\u3164\ufe0f]{0,10000}$/u
const invisibleCharactersMax = 10_000
/** Beyond it, the exact number says nothing more. */
const countedCharactersMax = 1000

export const outputNotEmpty = Object.freeze<Evaluator>({
  name: 'output_not_empty',
  kind: 'heuristic',
  version: 1,
  evaluate: ({ decision, output, isJsonAskedFor }) => {
    if (decision.output.length === 0) return verdict(false, 'The output is 0 characters.')
    if (output.length === 0) return verdict(false, 'The output is white space only.')
    // The first character decides for nearly every output.
    if (!/^[\w"'{[]/.test(output) && isInvisible(output)) {
      return verdict(false, 'The output has no visible character.')
    }
    if (output.length > placeholderCharactersMax) return verdict(true, sizeOf(output))
    const lower = output.toLowerCase()
    if (emptyJson.has(lower) && isJsonAskedFor()) {
      return verdict(true, 'The output is an empty JSON value, and JSON was asked for.')
    }
    if (placeholders.has(lower) || template.test(lower)) {
      return verdict(false, 'The output is a placeholder, not an answer.')
    }
    return verdict(true, sizeOf(output))
  }
})

function isInvisible(output: string): boolean {
  return output.length <= invisibleCharactersMax && invisible.test(output)
}

function sizeOf(output: string): string {
  if (output.length > countedCharactersMax) {
    return `The output has about ${Math.round(output.length / 1000)},000 characters.`
  }
  const characters = charactersOf(output)
  return `The output has ${characters} ${characters === 1 ? 'character' : 'characters'}.`
}

/** Code points; nearly every text has as many as it has code units. */
function charactersOf(text: string): number {
  return /[\ud800-\udbff]/.test(text) ? Array.from(text).length : text.length
}
