/** Creates and parses tail event ids. An id records which decisions the client has received.
 *
 * Decisions are not stored in the order in which they were received, so the position of the last
 * decision is not sufficient: decisions received earlier can be stored later. Therefore an id also
 * contains two transaction horizons. Rows written by transactions at or after a horizon may have
 * been invisible to the poll with that horizon.
 *
 * Horizons count the transactions of all organizations, so they would reveal how much other
 * organizations write. They are encrypted and bound to the organization.
 */
import { parseCursor, formatCursor } from '../../../core/cursor.ts'
import type { CursorPosition } from '../../../core/cursor.ts'
import { SealError } from '../../../platform/security/sealed-secret.ts'
import type { Sealer } from '../../../platform/security/sealed-secret.ts'

/** Bounds of a poll. Within a poll, decisions are shown oldest first. */
export interface PollBounds {
  /** Milliseconds since 1970. Decisions received earlier are no longer considered new. */
  readonly from: number
  /** Horizon of the previous poll. All rows of earlier transactions have been shown. */
  readonly before: string
  /** Horizon of this poll. Rows of later transactions can be shown again. */
  readonly at: string
}

export interface TailId {
  /** The last decision shown. */
  readonly position: CursorPosition
  /** Null for ids without horizons, which are compared by position only. */
  readonly bounds: PollBounds | null
}

export type TailIds = ReturnType<typeof createTailIds>
export type TailIdsOf = (organizationId: string) => TailIds

const expression = /^([\w-]+)(?:[.]([\w-]+))?$/
const nilUuid = '00000000-0000-0000-0000-000000000000'
/**
 * Number of digits that numbers are padded to, enough for the largest horizon. Without padding, the
 * length of the encrypted text would reveal the magnitude of the numbers.
 */
const digits = 20

/**
 * Creates the functions that create and parse the ids of one organization.
 * @param sealer must be the same in all gateways, so that they can read each other's ids
 */
export function createTailIds(sealer: Sealer, organizationId: string) {
  const context = `tail ${organizationId}`

  /** Returns a function that creates the ids of the decisions shown in a poll. */
  function within({ from, before, at }: PollBounds) {
    const numbers = [String(from), before, at].map((number) => number.padStart(digits, '0'))
    const sealed = sealer.seal(numbers.join(' '), context).toString('base64url')
    return (position: CursorPosition): string => `${formatCursor(position, {})}.${sealed}`
  }

  function open(sealed: string): PollBounds | null {
    try {
      const text = sealer.open(Buffer.from(sealed, 'base64url'), context)
      const [from, before = '', at = ''] = text.split(' ')
      // Remove leading zeros: Postgres would parse such numbers as octal.
      return { from: Number(from), before: String(BigInt(before)), at: String(BigInt(at)) }
    } catch (error) {
      if (error instanceof SealError) return null
      throw error
    }
  }

  return {
    within,
    /** Returns the id that follows all decisions shown in a poll. */
    after: ({ from, at }: PollBounds): string => {
      const sort_key = new Date(from).toISOString().replace('Z', '000Z')
      return within({ from, before: at, at })({ sort_key, id: nilUuid })
    },
    /** Returns null if the id is malformed or belongs to another organization. */
    read: (id: string): TailId | null => {
      const [, cursor = '', sealed] = expression.exec(id) ?? []
      const read = parseCursor(cursor, {})
      if (read.kind !== 'position') return null
      const { position } = read
      if (sealed === undefined) return { position, bounds: null }
      const bounds = open(sealed)
      const isMoment = bounds !== null && bounds.from <= Date.parse(position.sort_key)
      return isMoment ? { position, bounds } : null
    }
  }
}
