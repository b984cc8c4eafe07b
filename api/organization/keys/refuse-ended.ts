/** A key that has ended, or that another one took the place of, is not changed any more. */
import { Problem } from '../../../core/problem.ts'
import type { StoredKey } from './api-key-rows.ts'

/** @throws {Problem} 409 */
export function refuseEnded({ replaced_by, state }: StoredKey): void {
  if (state === 'revoked' || state === 'expired') throw ended(`It is ${state}; make a new one.`)
  if (replaced_by !== null) throw ended(`It was rotated; ${replaced_by} took its place.`)
}

function ended(detail: string): Problem {
  return new Problem('key_ended', { detail })
}
