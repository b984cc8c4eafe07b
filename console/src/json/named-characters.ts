/** Names the characters that have no shape of their own or that change the direction of a text. */

/**
 * Matches a run of such characters, except spaces, tabs and line feeds, which are drawn as space,
 * and U+FE0F after an emoji, where it selects the colored form.
 */
const unseen =
  /((?:(?![ \t\n]|(?<=\p{Extended_Pictographic})\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{DI}\u2800])+)/u

const controls =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI ' +
  'DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'
const others =
  '7F DEL 85 NEL A0 NBSP AD SHY 61C ALM 200B ZWSP 200C ZWNJ 200D ZWJ 200E LRM 200F RLM ' +
  '2028 LS 2029 PS 202A LRE 202B RLE 202C PDF 202D LRO 202E RLO ' +
  '2060 WJ 2066 LRI 2067 RLI 2068 FSI 2069 PDI FEFF BOM'

const names = new Map(controls.split(' ').map((name, code) => [code, name]))
for (const [, code = '', name = ''] of others.matchAll(/(\S+) (\S+)/g)) {
  names.set(Number.parseInt(code, 16), name)
}

export interface NamedText {
  readonly text: string
  /** The text with invisible characters replaced by their names; null if it has none. */
  readonly name: string | null
}

/** Maximum number of parts of a text. More would be slow to draw. */
const partsMax = 32

/**
 * Separates invisible characters from the rest of the text. If that yields more than `partsMax`
 * parts, returns the whole text as one part.
 */
export function nameUnseen(text: string): NamedText[] {
  const parts = text
    .split(unseen)
    .map((part, index) => ({ text: part, name: index % 2 === 0 ? null : namesOf(part) }))
  if (parts.length <= partsMax) return parts.filter((part) => part.text !== '')
  return [{ text, name: parts.map((part) => part.name ?? part.text).join(' ') }]
}

function namesOf(text: string): string {
  return Array.from(text, (character) => nameOf(character.codePointAt(0) ?? 0)).join(' ')
}

function nameOf(code: number): string {
  return names.get(code) ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}
