/** Routes for the organization of a session: its name, members, invites, API keys and audit log. */
import { mayActAs, userRoles } from '../../core/user-role.ts'
import type { UserRole } from '../../core/user-role.ts'
import { admin, session } from '../../http/typed-route.ts'
import { sessionSeconds } from '../../platform/security/session-token.ts'
import { requireFound } from '../configuration/problems.ts'
import { withOrganizationLock } from '../configuration/with-organization-lock.ts'
import type { Edit } from '../configuration/with-organization-lock.ts'
import { deletedOf, listPage, pageOf, pageQuery } from '../page.ts'
import { routesOf } from '../services.ts'
import { auditRoutes } from './audit-routes.ts'
import { withdrawInvitesBy } from './invites/queries.ts'
import { inviteRoutes } from './invites/routes.ts'
import { keyRoutes } from './keys/routes.ts'
import * as queries from './queries.ts'
import type { Member } from './queries.ts'
import { originOf, recordAudit } from './record-audit.ts'
import * as schemas from './schemas.ts'

const path = '/v1/auth/organization'
const route = routesOf('organization')
const params = schemas.memberParams

const ownRoutes = [
  route({
    method: 'get',
    path,
    who: session,
    id: 'showOrganization',
    summary: 'Get your organization',
    description: 'Returns the organization that the session acts for.',
    answers: { 200: { description: 'The organization.', schema: schemas.organization } },
    problems: ['organization_not_found'],
    share: 'account calls',
    handle: async ({ principal, reply }, { store }) =>
      reply(200, await queries.readOrganization(store, principal))
  }),
  route({
    method: 'patch',
    path,
    who: admin,
    id: 'changeOrganization',
    summary: 'Update your organization',
    description: 'Requires the role admin or higher.',
    body: schemas.organizationChange,
    answers: { 200: { description: 'The updated organization.', schema: schemas.organization } },
    problems: ['organization_not_found'],
    share: 'account calls',
    handle: async (call, { store }) => {
      const { name } = call.body
      await withOrganizationLock(store, call, async (edit) => {
        await queries.requireManager(edit, [])
        await queries.renameOrganization(edit, name)
        await edit.audit('organization.renamed', edit.organizationId, { name })
      })
      return call.reply(200, await queries.readOrganization(store, call.principal))
    }
  }),
  route({
    method: 'post',
    path: `${path}/switch`,
    who: session,
    id: 'switchOrganization',
    summary: 'Switch to another organization',
    description:
      'Returns an access token that acts for another organization in the same session. ' +
      'Refreshed tokens stay with that organization, and the next login begins there.',
    body: schemas.organizationSwitch,
    answers: {
      200: {
        description: 'The new access token, which is valid for 15 minutes.',
        schema: schemas.switchedSession
      }
    },
    problems: ['organization_not_found'],
    share: 'account calls',
    handle: async (call, { store, sessionTokens }) => {
      const organization_id = call.body.organization_id.toLowerCase()
      const { user_id, session_id } = call.principal
      const role = await store.accounts.change(async (transaction) => {
        const role = await queries.moveSession(transaction, { ...call.principal, organization_id })
        if (organization_id === call.principal.organization_id) return role
        const origin = originOf(call, user_id, organization_id)
        await recordAudit(transaction, origin, { action: 'session.switched', id: session_id })
        return role
      })
      return call.reply(200, {
        access_token: sessionTokens.sign({ user_id, organization_id, role, session_id }),
        token_type: 'Bearer',
        expires_in: sessionSeconds,
        organization_id,
        role
      })
    }
  })
]

const memberRoutes = [
  route({
    method: 'get',
    path: `${path}/members`,
    who: session,
    id: 'listMembers',
    summary: 'List members',
    description:
      `Lists members by email. An organization can have at most ${queries.membersMax} members ` +
      'and open invites.',
    query: pageQuery('entries'),
    answers: { 200: { description: 'A page of members.', schema: pageOf(schemas.member) } },
    problems: ['invalid_query'],
    share: 'account calls',
    handle: async ({ principal, query, reply }, { store }) => {
      const members = await queries.readMembers(store.of(principal.organization_id))
      return reply(200, listPage(members, query, 'email'))
    }
  }),
  route({
    method: 'patch',
    path: `${path}/members/:user_id`,
    who: admin,
    id: 'changeMember',
    summary: 'Update a member',
    description:
      'Changes the role of a member. Requires the role admin or higher; only an owner can ' +
      'grant or withdraw the role owner. The last owner keeps the role. The change takes ' +
      'effect everywhere within five seconds. Open invites that the member can no longer ' +
      'create are withdrawn.',
    params,
    body: schemas.memberChange,
    answers: { 200: { description: 'The updated member.', schema: schemas.member } },
    problems: ['member_not_found', 'last_owner'],
    share: 'account calls',
    handle: async (call, { store, liveSessions }) => {
      const id = call.params.user_id.toLowerCase()
      const { role } = call.body
      const member = await withOrganizationLock(store, call, async (edit) => {
        const before = requireFound('member', await queries.readMember(edit, id), id)
        await queries.requireManager(edit, [before.role, role])
        if (before.role !== role) await changeRole(edit, before, role)
        return { ...before, role }
      })
      liveSessions.forget(id)
      return call.reply(200, member)
    }
  }),
  route({
    method: 'delete',
    path: `${path}/members/:user_id`,
    // Not restricted to admins, because members can remove themselves.
    who: session,
    id: 'removeMember',
    summary: 'Remove a member',
    description:
      'Members can remove themselves. Removing another member requires the role admin or ' +
      'higher, and removing an owner the role owner. The last owner cannot be removed. ' +
      'Sessions that act for the organization end within five seconds, and open invites of ' +
      'the member are withdrawn. API keys keep working, because they belong to the ' +
      'organization.',
    params,
    answers: {
      200: {
        description: 'The user is no longer a member.',
        schema: deletedOf('user_id', schemas.member)
      }
    },
    problems: ['role_missing', 'member_not_found', 'last_owner'],
    share: 'account calls',
    handle: async (call, { store, liveSessions }) => {
      const id = call.params.user_id.toLowerCase()
      await withOrganizationLock(store, call, async (edit) => {
        const member = requireFound('member', await queries.readMember(edit, id), id)
        if (id !== edit.userId) await queries.requireManager(edit, [member.role])
        await removeMember(edit, member)
      })
      liveSessions.forget(id)
      await store.accounts.change((transaction) =>
        queries.endSessions(transaction, call.principal.organization_id, id)
      )
      return call.reply(200, { user_id: id, deleted: true })
    }
  })
]

export const organizationRoutes = [
  ...ownRoutes,
  ...memberRoutes,
  ...inviteRoutes,
  ...keyRoutes,
  ...auditRoutes
]

async function changeRole(edit: Edit, before: Member, role: UserRole): Promise<void> {
  const { user_id, email, role: from } = before
  if (from === 'owner') await queries.refuseLastOwner(edit)
  await queries.updateRole(edit, user_id, role)
  const kept = mayActAs(role, 'admin') ? userRoles.filter((each) => mayActAs(role, each)) : []
  await withdrawInvitesBy(edit, user_id, kept)
  await edit.audit('member.role_changed', user_id, { email, from, to: role })
}

async function removeMember(edit: Edit, { user_id, email, role }: Member): Promise<void> {
  if (role === 'owner') await queries.refuseLastOwner(edit)
  await queries.deleteMember(edit, user_id)
  await withdrawInvitesBy(edit, user_id, [])
  const action = user_id === edit.userId ? 'member.left' : 'member.removed'
  await edit.audit(action, user_id, { email, role })
}
