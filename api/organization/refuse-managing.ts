/** Who may manage whom: admins everybody but owners, and owners owners too. */
import { Problem } from '../../core/problem.ts'
import { mayActAs } from '../../core/user-role.ts'
import type { UserRole } from '../../core/user-role.ts'
import type { Edit } from '../configuration/take-turn.ts'
import { readMember } from './member-rows.ts'

/**
 * Asks the store and not the session, since whoever had the turn before may have changed it.
 * @param roles that somebody has, or is to have
 * @throws {Problem} 403
 */
export async function refuseManaging(edit: Edit, roles: readonly string[]): Promise<void> {
  const actor = await readMember(edit, edit.userId)
  const needed: UserRole = roles.includes('owner') ? 'owner' : 'admin'
  if (actor !== null && mayActAs(actor.role, needed)) return
  const has = actor === null ? 'You are no member any more' : `Your role is ${actor.role}`
  const detail = `${has}; this needs ${needed}${needed === 'owner' ? '' : ', or owner'}.`
  throw new Problem('role_missing', { detail, members: { role: needed } })
}
