/** JSON text in the making: how much there may be, where it is, and what had to be changed. */

/** What can happen to a value that JSON, or the gateway, cannot hold. */
export type ChangeKind =
  | 'not_finite'
  | 'circular'
  | 'too_deep'
  | 'not_data'
  | 'unreadable'
  | 'surrogate'
  | 'cut'
  | 'wrong_type'

export interface Encoding {
  text: string
  /** In UTF-16 units, which are never more than the bytes of the text. */
  readonly maxLength: number
  /** Containers around what is being written, within its field. */
  depth: number
  /** Where that is: the field, then a key for each container. */
  readonly keys: (string | number)[]
  /** Whatever is being written, to see when it holds itself. */
  readonly parents: object[]
  /** What was changed, with the place; the first ones. */
  readonly notes: string[]
  changes: number
  /** Members without a value. */
  skipped: number
  /** Set while something is written a second time, so that nothing is noted twice. */
  muted: boolean
}

export const notesMax = 10
const pathMaxLength = 200

/** Thrown when the text is longer than it may be; always this one, as nobody looks at its stack. */
export const tooLarge = new Error('the decision is too large')

export function startEncoding(maxLength: number): Encoding {
  return {
    text: '',
    maxLength,
    depth: 0,
    keys: [],
    parents: [],
    notes: [],
    changes: 0,
    skipped: 0,
    muted: false
  }
}

export function noteChange(encoding: Encoding, kind: ChangeKind): void {
  if (encoding.muted) return
  encoding.changes++
  if (encoding.notes.length < notesMax) encoding.notes.push(`${pathOf(encoding)}: ${kind}`)
}

/** A JSON Pointer (RFC 6901). */
function pathOf({ keys, depth }: Encoding): string {
  const path = keys
    .slice(0, depth + 1)
    .map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('')
  return wellFormed(path.slice(0, pathMaxLength))
}

/** In a regular expression with `u`, two surrogates that belong together are no surrogates. */
const loneSurrogates = /\p{Surrogate}/gu

/** Half a character, which UTF-8 cannot hold, becomes U+FFFD. */
export function wellFormed(text: string): string {
  return text.replace(loneSurrogates, '\ufffd')
}

/** Most texts; finding that out takes a tenth of what JSON.stringify takes for a short one. */
const needsNoEscape = /^[ !#-[\]-~]*$/u

export function writeText(encoding: Encoding, text: string): void {
  if (text.length > encoding.maxLength - encoding.text.length) throw tooLarge
  encoding.text += quote(text) ?? quoteMended(encoding, text)
}

/** Undefined when there is a lone surrogate in it. */
export function quote(text: string): string | undefined {
  if (needsNoEscape.test(text)) return `"${text}"`
  const quoted = JSON.stringify(text)
  // It escapes them in lower case; only then is it worth a closer look.
  return quoted.includes('\\ud') && wellFormed(text) !== text ? undefined : quoted
}

function quoteMended(encoding: Encoding, text: string): string {
  noteChange(encoding, 'surrogate')
  return JSON.stringify(wellFormed(text))
}
