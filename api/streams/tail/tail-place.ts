/** The `id` of a tail event: what its caller has received, as exactly as Postgres knows it.
 *
 * Decisions are not stored in the order in which they were received, so the place of the last one
 * says little of those before it: some may be stored later. Two horizons say the rest. Whatever was
 * written by a transaction from a horizon on may have been invisible when somebody looked there.
 *
 * Horizons count the transactions of all organizations: two of them would tell a caller how much
 * the others write. So an id carries them encrypted, and bound to the organization.
 */
import { readCursor, writeCursor } from '../../../core/cursor.ts'
import type { CursorPosition } from '../../../core/cursor.ts'
import { SealError } from '../../../platform/security/sealed-secret.ts'
import type { Sealer } from '../../../platform/security/sealed-secret.ts'

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

/** The ids of one organization. */
export interface TailPlaces {
  /** @returns ids of decisions that were told in the look. */
  within(look: Look): (position: CursorPosition) => string
  /** The id behind everything that was told in the look. */
  after(look: Look): string
  /** Null for an id that is malformed, or of another organization. */
  read(id: string): TailPlace | null
}

export type TailPlacesOf = (organizationId: string) => TailPlaces

const expression = /^([\w-]+)(?:[.]([\w-]+))?$/
const nobody = '00000000-0000-0000-0000-000000000000'
/** The largest horizon has as many digits; a length would tell how large one is. */
const digits = 20

/** @param sealer the same in all gateways, so that any of them reads the ids of the others. */
export function createTailPlaces(sealer: Sealer, organizationId: string): TailPlaces {
  const context = `tail ${organizationId}`

  function within({ from, before, at }: Look) {
    const numbers = [String(from), before, at].map((number) => number.padStart(digits, '0'))
    const sealed = sealer.seal(numbers.join(' '), context).toString('base64url')
    return (position: CursorPosition): string => `${writeCursor(position, {})}.${sealed}`
  }

  function open(sealed: string): Look | null {
    try {
      const text = sealer.open(Buffer.from(sealed, 'base64url'), context)
      const [from, before = '', at = ''] = text.split(' ')
      // Postgres would read leading zeros as octal.
      return { from: Number(from), before: String(BigInt(before)), at: String(BigInt(at)) }
    } catch (error) {
      if (error instanceof SealError) return null
      throw error
    }
  }

  return {
    within,
    after: ({ from, at }) => {
      const sort_key = new Date(from).toISOString().replace('Z', '000Z')
      return within({ from, before: at, at })({ sort_key, id: nobody })
    },
    read: (id) => {
      const [, cursor = '', sealed] = expression.exec(id) ?? []
      const read = readCursor(cursor, {})
      if (read.kind !== 'position') return null
      const { position } = read
      if (sealed === undefined) return { position, look: null }
      const look = open(sealed)
      const isMoment = look !== null && look.from <= Date.parse(position.sort_key)
      return isMoment ? { position, look } : null
    }
  }
}
