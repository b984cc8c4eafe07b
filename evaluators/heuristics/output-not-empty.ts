/** Check `not_empty`: fails if the output is empty, invisible or a placeholder. */
import { verdict } from '../evaluator.ts'
import type { Evaluator } from '../evaluator.ts'

/**
 * Placeholders that programs and models write instead of an answer. "none" is not one of them,
 * because it can be an answer.
 */
const placeholders = new Set(
  [
    ['""', "''", 'null', 'undefined', 'nan', '[object object]', '{}', '[]'],
    ['.', '..', '...', '…', '-', '--', '---', '—', 'n/a', 'tbd', 'todo', 'lorem ipsum'],
    ['[no response]', '(no response)', '<no response>', 'no response', '[empty]', '(empty)'],
    ['<empty>', '[no output]', '(no output)', '<no output>', 'no output', '[no content]']
  ].flat()
)
/** Empty JSON values, which are results if JSON was requested. */
const emptyJson = new Set(['{}', '[]', 'null'])
/** Template placeholders that were not filled in. */
const templates = [
  String.raw`\{\{[^{}]{1,60}\}\}`,
  String.raw`\$\{[^{}]{1,60}\}`,
  '<(?:answer|output|response)>',
  String.raw`\[(?:your|insert)\b[^\]]{1,60}\]`
]
const template = new RegExp(`^(?:${templates.join('|')})$`)
const placeholderCharactersMax = 64
/** Whitespace, control characters and invisible characters. */
const invisible = /^[\s\p{Cc}\p{Cf}\u115f\u1160\u3164\ufe0f]{0,10000}$/u
const invisibleCharactersMax = 10_000
/**
 * Maximum length for which the reason gives the exact number of characters. For longer outputs, the
 * number is rounded.
 */
const countedCharactersMax = 1000

export const outputNotEmpty = Object.freeze<Evaluator>({
  name: 'output_not_empty',
  kind: 'heuristic',
  version: 1,
  evaluate: ({ decision, output, isJsonRequested }) => {
    if (decision.output.length === 0) return verdict(false, 'The output is empty.')
    if (output.length === 0) return verdict(false, 'The output contains only whitespace.')
    // In most outputs, the first character is visible, so the pattern is not needed.
    if (!/^[\w"'{[]/.test(output) && isInvisible(output)) {
      return verdict(false, 'The output contains no visible characters.')
    }
    if (output.length > placeholderCharactersMax) return verdict(true, sizeOf(output))
    const lower = output.toLowerCase()
    if (emptyJson.has(lower) && isJsonRequested()) {
      return verdict(true, 'The output is an empty JSON value, and JSON was requested.')
    }
    if (placeholders.has(lower) || template.test(lower)) {
      return verdict(false, 'The output is a placeholder instead of an answer.')
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

/** Counts code points. For most texts this equals the number of UTF-16 code units. */
function charactersOf(text: string): number {
  return /[\ud800-\udbff]/.test(text) ? Array.from(text).length : text.length
}
