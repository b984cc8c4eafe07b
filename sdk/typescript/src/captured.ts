/** A value that was encoded before the decision that it belongs to. */
import { notesMax, tooLarge } from './encoding.ts'
import type { Encoding } from './encoding.ts'

/** All of `input` or `output`; the places in its notes begin there. */
export class Captured {
  readonly #isCaptured = true
  /** JSON; undefined when it is larger than a decision may be. */
  readonly text: string | undefined
  readonly notes: readonly string[]
  readonly changes: number

  constructor(text: string | undefined, { notes, changes }: Pick<Encoding, 'notes' | 'changes'>) {
    this.text = text
    this.notes = notes
    this.changes = changes
  }

  /** Asks no Proxy, which might throw. */
  static is(value: object): value is Captured {
    return #isCaptured in value
  }
}

export function writeCaptured(encoding: Encoding, { text, notes, changes }: Captured): void {
  if (text === undefined || text.length > encoding.maxLength) throw tooLarge
  encoding.text += text
  if (encoding.muted) return
  encoding.changes += changes
  encoding.notes.push(...notes.slice(0, Math.max(0, notesMax - encoding.notes.length)))
}
