/** Text that anybody may have written, so that a terminal shows it and obeys nothing in it. */

export function plainText(text: string | null): string {
  return text === null ? '-' : text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?')
}
