/** What of a decision goes into a prompt, as JSON that shows whatever hides in it. */
import type { Decision } from '../../core/decision/decision.ts'
import { oneLine } from '../../core/json/one-line.ts'
import { memberTextOf } from '../text/member-text.ts'
import { metadataPrefix } from './template.ts'

/** JSON text on one line for each variable, or null where the decision has no such thing. */
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
 * Characters that nobody sees but models read: controls, zero-width and bidirectional ones, tags,
 * variation selectors, private ones, and the line breaks that JSON allows in a string.
 */
const hidden = /[\u007f-\u009f\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Variation_Selector}]/gu

/** As escapes they stay what they are, and are seen. In JSON they stand in strings only. */
function visible(json: string): string {
  return json.replaceAll(hidden, (character) => {
    let escaped = ''
    for (let index = 0; index < character.length; index++) {
      escaped += `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`
    }
    return escaped
  })
}
