/** The `id` of an event of a tail: what its caller has been told, as exactly as the store knows it.
 *
 * Decisions are not stored in the order in which they were received, so the place of the last one
 * says little of those before it: some may be stored later. Two horizons say the rest. Whatever was
 * written by a transaction from a horizon on may have been invisible when somebody looked there.
 */
import { readCursor, writeCursor } from '../../../core/cursor.ts'
import type { CursorPosition } from '../../../core/cursor.ts'

/** Of one look, in which decisions were told oldest first. */
export interface Look {
  /** Milliseconds since the epoch: nothing that was received before is news any more. */
  readonly from: number
  /** The horizon of the look before: what transactions before it have written was told then. */
  readonly before: string
  /** Its own: what those from it on have written is told later, at least once more. */
  readonly at: string
}

export interface TailPlace {
  /** Up to which decision it was told. */
  readonly position: CursorPosition
  /** Null in an id that knows of none; then only the position counts. */
  readonly look: Look | null
}

const expression = /^([\w-]+)(?:[.](\d{1,15})[.](\d{1,18})[.](\d{1,18}))?$/
const nobody = '00000000-0000-0000-0000-000000000000'

export function writePlace(position: CursorPosition, { from, before, at }: Look): string {
  return [writeCursor(position, {}), from, before, at].join('.')
}

/** Behind everything that was told in a look. */
export function writePlaceAfter({ from, at }: Look): string {
  const sort_key = new Date(from).toISOString().replace('Z', '000Z')
  return writePlace({ sort_key, id: nobody }, { from, before: at, at })
}

/** Null for what is none of ours. */
export function readPlace(text: string): TailPlace | null {
  const [, cursor = '', from, before, at] = expression.exec(text) ?? []
  const read = readCursor(cursor, {})
  if (read.kind !== 'position') return null
  const { position } = read
  if (from === undefined || before === undefined || at === undefined) {
    return { position, look: null }
  }
  const isMoment = Number(from) <= Date.parse(position.sort_key)
  return isMoment ? { position, look: { from: Number(from), before, at } } : null
}
