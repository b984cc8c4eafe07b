/** Describes the state of an API key. */
import type { KeyRow } from './key-table.ts'

type KeyEnds = Pick<KeyRow, 'revoked_at' | 'expires_at' | 'replaced_by'>

/** Checks the conditions in the same order as a gateway. */
export function stateOf(row: KeyEnds, now: number): string {
  if (hasEnded(row, now)) return row.revoked_at === null ? 'expired' : 'revoked'
  return row.replaced_by === null ? 'active' : `rotated to ${row.replaced_by}, still valid`
}

export function hasEnded({ revoked_at, expires_at }: KeyEnds, now: number): boolean {
  return revoked_at !== null || (expires_at !== null && expires_at.getTime() <= now)
}
