/** Makes untrusted text safe to print: replaces or escapes characters that a terminal interprets.
 */

export function plainText(text: string | null): string {
  return text === null ? '-' : text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?')
}

/** Returns equivalent JSON with control and format characters escaped. */
export function escapedText(json: string): string {
  return json.replaceAll(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join('')
  )
}
