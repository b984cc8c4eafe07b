/** Captured values: the JSON of an `input` or `output` whose decision is logged later. */
import { notesMax, tooLarge } from './encoding.ts'
import type { Encoding } from './encoding.ts'

/** The JSON of one `input` or `output` field. Paths in `notes` start at that field. */
export class Captured {
  readonly #isCaptured = true
  /** Undefined if the JSON exceeds the maximum decision size. */
  readonly text: string | undefined
  readonly notes: readonly string[]
  readonly changes: number

  constructor(text: string | undefined, { notes, changes }: Pick<Encoding, 'notes' | 'changes'>) {
    this.text = text
    this.notes = notes
    this.changes = changes
  }

  /** Unlike `instanceof`, never runs the traps of a Proxy, which can throw. */
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
