/** Text that anybody may have written, so that a terminal shows it and obeys nothing in it. */

export function plainText(text: string | null): string {
  return text === null ? '-' : text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?')
}

/** JSON text that says the same and holds nothing that a terminal obeys. */
export function escapedText(json: string): string {
  return json.replaceAll(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join('')
  )
}
