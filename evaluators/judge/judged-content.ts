/** Serializes the content of a decision for a prompt: JSON with hidden characters escaped. */
import type { Decision } from '../../core/decision/decision.ts'
import { oneLine } from '../../core/json/one-line.ts'
import { memberTextOf } from '../text/member-text.ts'
import { metadataPrefix } from './template.ts'

/** Returns the JSON of a variable on one line, or null if the decision does not have it. */
export function contentOf(decision: Decision, variable: string): string | null {
  switch (variable) {
    case 'output':
      return visible(JSON.stringify(decision.output))
    case 'input':
      return visible(oneLine(decision.input))
    case 'domain':
      return decision.domain === null ? null : visible(JSON.stringify(decision.domain))
    case 'reference':
      return metadataOf(decision, 'expected')
    default:
      return metadataOf(decision, variable.slice(metadataPrefix.length))
  }
}

function metadataOf({ metadata }: Decision, path: string): string | null {
  const json = metadata === null ? null : memberTextOf(metadata, path)
  return json === null || json === 'null' ? null : visible(oneLine(json))
}

/**
 * Invisible characters that models read: control, zero-width, bidirectional, tag, variation
 * selector, private-use and unassigned characters, and line separators that JSON allows in strings.
 */
const hidden = /[\u007f-\u009f\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Variation_Selector}]/gu

/**
 * Escapes hidden characters to make them visible. In JSON they occur only in strings, so the result
 * is valid JSON.
 */
function visible(json: string): string {
  return json.replaceAll(hidden, (character) => {
    let escaped = ''
    for (let index = 0; index < character.length; index++) {
      escaped += `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`
    }
    return escaped
  })
}
