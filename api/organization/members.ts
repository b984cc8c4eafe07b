/** GET, PATCH and DELETE of /v1/auth/organization/members. */
import { Problem } from '../../core/problem.ts'
import { mayActAs, userRoles } from '../../core/user-role.ts'
import type { UserRole } from '../../core/user-role.ts'
import { jsonReply } from '../../http/call.ts'
import type { SessionHandle } from '../../http/route.ts'
import { listPage } from '../configuration/list-page.ts'
import type { PageQuery } from '../configuration/list-page.ts'
import { existing } from '../configuration/refusals.ts'
import { takeTurn } from '../configuration/take-turn.ts'
import type { Edit } from '../configuration/take-turn.ts'
import type { Store } from '../store.ts'
import { withdrawInvitesBy } from './invites/invite-rows.ts'
import { readMember, readMembers } from './member-rows.ts'
import type { Member } from './member-rows.ts'
import { refuseManaging } from './refuse-managing.ts'

export interface MembersDependencies {
  readonly store: Store
  /** Knows roles for some seconds. */
  readonly liveSessions: { forget(userId: string): void }
}

export function createMembers({ store, liveSessions }: MembersDependencies) {
  const listMembers: SessionHandle = async ({ principal, query }) => {
    const members = await readMembers(store.of(principal.organization_id))
    const { page, meta } = listPage(members, query as unknown as PageQuery, ({ email }) => email)
    return jsonReply(200, JSON.stringify({ data: page, meta }))
  }

  const changeMember: SessionHandle = async (call) => {
    const id = userIdOf(call.params)
    const { role } = call.body as { readonly role: UserRole }
    const member = await takeTurn(store, call, async (edit) => {
      const before = existing('member', await readMember(edit, id), id)
      await refuseManaging(edit, [before.role, role])
      if (before.role !== role) await changeRole(edit, before, role)
      return { ...before, role }
    })
    liveSessions.forget(id)
    return jsonReply(200, JSON.stringify(member))
  }

  const removeMember: SessionHandle = async (call) => {
    const id = userIdOf(call.params)
    await takeTurn(store, call, async (edit) => {
      const member = existing('member', await readMember(edit, id), id)
      if (id !== edit.userId) await refuseManaging(edit, [member.role])
      await remove(edit, member)
    })
    liveSessions.forget(id)
    await endSessions(store, call.principal.organization_id, id)
    return jsonReply(200, JSON.stringify({ user_id: id, deleted: true }))
  }

  return { listMembers, changeMember, removeMember }
}

function userIdOf(params: Readonly<Record<string, string>>): string {
  return (params['user_id'] ?? '').toLowerCase()
}

async function changeRole(edit: Edit, before: Member, role: UserRole): Promise<void> {
  if (before.role === 'owner') await refuseLastOwner(edit)
  await edit.query(`update memberships set role = $3 where organization_id = $1 and user_id = $2`, [
    edit.organizationId,
    before.user_id,
    role
  ])
  const kept = mayActAs(role, 'admin') ? userRoles.filter((each) => mayActAs(role, each)) : []
  await withdrawInvitesBy(edit, before.user_id, kept)
  const { email, role: from } = before
  await edit.audit('member.role_changed', before.user_id, { email, from, to: role })
}

async function remove(edit: Edit, { user_id, email, role }: Member): Promise<void> {
  if (role === 'owner') await refuseLastOwner(edit)
  await edit.query(`delete from memberships where organization_id = $1 and user_id = $2`, [
    edit.organizationId,
    user_id
  ])
  await withdrawInvitesBy(edit, user_id, [])
  const action = user_id === edit.userId ? 'member.left' : 'member.removed'
  await edit.audit(action, user_id, { email, role })
}

/** @throws {Problem} 409 */
async function refuseLastOwner(edit: Edit): Promise<void> {
  const owners = await edit.query(
    `select user_id from memberships where organization_id = $1 and role = 'owner' limit 2`,
    [edit.organizationId]
  )
  if (owners.length > 1) return
  const detail = 'Nobody else owns the organization; make somebody an owner first.'
  throw new Problem('last_owner', { detail })
}

/** Each would find the membership gone by itself; so the list of sessions says why. */
async function endSessions(store: Store, organizationId: string, userId: string): Promise<void> {
  await store.accounts.change((transaction) =>
    transaction.query(
      `update sessions set revoked_at = now(), revoked_reason = 'removed'
        where user_id = $2 and organization_id = $1 and revoked_at is null`,
      [organizationId, userId]
    )
  )
}
