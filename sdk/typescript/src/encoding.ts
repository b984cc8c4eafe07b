/** Encoding state: the text so far, its maximum length, the current path, and the changes made. */

/** Kinds of change to a value that JSON or the gateway does not accept. */
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
  /** In UTF-16 code units. Text with more code units than this also has more UTF-8 bytes. */
  readonly maxLength: number
  /** Nesting depth within the current field. */
  depth: number
  /** Current path: the field, then one key or index per enclosing container. */
  readonly keys: (string | number)[]
  /** Containers that enclose the current value, to detect cycles. */
  readonly parents: object[]
  /** The first `notesMax` changes, each as `path: kind`. */
  readonly notes: string[]
  changes: number
  /** Number of members omitted because they had no value. */
  skipped: number
  /** True while text is encoded a second time, so that no change is counted twice. */
  muted: boolean
}

export const notesMax = 10
const pathMaxLength = 200

/** Thrown if the text exceeds its maximum length. Shared because its stack trace is not used. */
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

/** Returns the current path as a JSON Pointer (RFC 6901), truncated to 200 characters. */
function pathOf({ keys, depth }: Encoding): string {
  const path = keys
    .slice(0, depth + 1)
    .map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('')
  return wellFormed(path.slice(0, pathMaxLength))
}

/** With the `u` flag, \p{Surrogate} matches only unpaired surrogates. */
const loneSurrogates = /\p{Surrogate}/gu

/** Replaces each unpaired surrogate with U+FFFD, because UTF-8 cannot encode it. */
export function wellFormed(text: string): string {
  return text.replace(loneSurrogates, '\ufffd')
}

/**
 * Fast path for most strings: testing a short string takes a tenth of the time of JSON.stringify.
 */
const needsNoEscape = /^[ !#-[\]-~]*$/u

export function writeText(encoding: Encoding, text: string): void {
  if (text.length > encoding.maxLength - encoding.text.length) throw tooLarge
  encoding.text += quote(text) ?? quoteRepaired(encoding, text)
}

/** Returns the text as a JSON string; undefined if it contains an unpaired surrogate. */
export function quote(text: string): string | undefined {
  if (needsNoEscape.test(text)) return `"${text}"`
  const quoted = JSON.stringify(text)
  // JSON.stringify writes an unpaired surrogate as \ud…. Text without \ud needs no further check.
  return quoted.includes('\\ud') && wellFormed(text) !== text ? undefined : quoted
}

function quoteRepaired(encoding: Encoding, text: string): string {
  noteChange(encoding, 'surrogate')
  return JSON.stringify(wellFormed(text))
}
