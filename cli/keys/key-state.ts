/** Whether a key works, and if not, why. */
import type { KeyRow } from './key-table.ts'

type KeyEnds = Pick<KeyRow, 'revoked_at' | 'expires_at' | 'replaced_by'>

/** In the order in which a gateway looks. */
export function stateOf(row: KeyEnds, now: number): string {
  if (hasEnded(row, now)) return row.revoked_at === null ? 'expired' : 'revoked'
  return row.replaced_by === null ? 'active' : `until rotated to ${row.replaced_by}`
}

export function hasEnded({ revoked_at, expires_at }: KeyEnds, now: number): boolean {
  return revoked_at !== null || (expires_at !== null && expires_at.getTime() <= now)
}
