/** Previews for lists: the first characters of a text, and whether there are more. */

export interface Preview {
  readonly preview: string
  readonly truncated: boolean
}

export const previewCharsMax = 240

/** How much of a text is read for its preview: one character more tells that there are more. */
export const inputStartChars = previewCharsMax + 1
/** A character of a JSON literal takes up to 12 there: a pair of surrogates, both escaped. */
export const outputStartChars = 1 + 12 * (previewCharsMax + 1)

/** The whole characters of a literal up to its closing quote, or to where it was cut off. */
const literalExpression = /^"((?:[^"\\]|\\u[0-9a-fA-F]{4}|\\[^u])*)/

/** The text itself, as it is. */
export function previewOf(text: string): Preview {
  const chars = [...text]
  if (chars.length <= previewCharsMax) return { preview: text, truncated: false }
  return { preview: chars.slice(0, previewCharsMax).join(''), truncated: true }
}

/** What a JSON string literal stands for; it may be cut off behind `outputStartChars`. */
export function previewOfLiteral(start: string): Preview {
  const whole = literalExpression.exec(start)?.[1] ?? ''
  return previewOf(String(JSON.parse(`"${whole}"`)))
}
