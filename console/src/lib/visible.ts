/** Makes invisible characters of untrusted text visible. */

/** Control characters, zero-width characters, and those that change the direction of text. */
const invisible =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g

/** Writes each invisible character as its code point, and each line break as a space. */
export function visible(text: string): string {
  return text
    .replaceAll(/[\t\n\r]+/g, ' ')
    .replaceAll(
      invisible,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
    )
}
