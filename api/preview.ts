/** Creates previews for lists: the first characters of a text, and whether the text was truncated.
 */

export interface Preview {
  readonly preview: string
  readonly truncated: boolean
}

export const previewCharsMax = 240

/**
 * Number of characters of an input to read for its preview. One more than the preview shows, to
 * detect longer inputs.
 */
export const inputStartChars = previewCharsMax + 1
/**
 * Number of characters of an output to read for its preview. Outputs are JSON string literals, in
 * which a character takes up to 12 characters (two escaped surrogates).
 */
export const outputStartChars = 1 + 12 * (previewCharsMax + 1)

/** Matches the complete characters of a literal that may be truncated. */
const literalExpression = /^"((?:[^"\\]|\\u[0-9a-fA-F]{4}|\\[^u])*)/

export function previewOf(text: string): Preview {
  const chars = [...text]
  if (chars.length <= previewCharsMax) return { preview: text, truncated: false }
  return { preview: chars.slice(0, previewCharsMax).join(''), truncated: true }
}

/**
 * Returns the preview of a JSON string literal. The literal may be truncated after
 * `outputStartChars` characters.
 */
export function previewOfLiteral(start: string): Preview {
  const whole = literalExpression.exec(start)?.[1] ?? ''
  return previewOf(String(JSON.parse(`"${whole}"`)))
}
