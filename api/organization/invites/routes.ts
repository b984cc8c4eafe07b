/** Routes for invites: list, create, withdraw and accept. */
import { emailObjection, normalizeEmail } from '../../../core/account-rules.ts'
import { uuidv7 } from '../../../core/ids/ids.ts'
import { createToken, tokenDigestOf } from '../../../core/ids/opaque-token.ts'
import { Problem } from '../../../core/problem.ts'
import type { UserRole } from '../../../core/user-role.ts'
import { admin, session } from '../../../http/typed-route.ts'
import { invitesLimit, invitesToOneInAllLimit, invitesToOneLimit } from '../../accounts/throttle.ts'
import { inviteEmail } from '../../accounts/emails.ts'
import { readUser } from '../../accounts/queries.ts'
import {
  limitReached,
  refuseBody,
  requireFound,
  violationAt
} from '../../configuration/problems.ts'
import { withOrganizationLock } from '../../configuration/with-organization-lock.ts'
import type { Edit } from '../../configuration/with-organization-lock.ts'
import { deletedOf, listPage, pageOf, pageQuery } from '../../page.ts'
import { routesOf } from '../../services.ts'
import { membersMax, readMembers, requireManager } from '../queries.ts'
import * as queries from './queries.ts'
import * as schemas from './schemas.ts'

const path = '/v1/auth/organization/invites'
const route = routesOf('organization')

export const inviteRoutes = [
  route({
    method: 'get',
    path,
    who: admin,
    id: 'listInvites',
    summary: 'List invites',
    description:
      'Requires the role admin or higher. Lists open invites, oldest first. Accepted and ' +
      'withdrawn invites are in the audit log.',
    query: pageQuery('entries'),
    answers: { 200: { description: 'A page of invites.', schema: pageOf(schemas.invite) } },
    problems: ['invalid_query'],
    share: 'account calls',
    handle: async ({ principal, query, reply }, { store }) => {
      const invites = await queries.readInvites(store.of(principal.organization_id))
      return reply(200, listPage(invites, query, 'invite_id'))
    }
  }),
  route({
    method: 'post',
    path,
    who: admin,
    id: 'createInvite',
    summary: 'Create an invite',
    description:
      'Requires the role admin or higher; only an owner can invite an owner. Sends an email ' +
      'with a token, if the gateway is configured to send emails, and returns the token once. ' +
      'With REGISTRATION=open only the email contains the token, because it proves the ' +
      `address. The token is valid for ${schemas.inviteDays} days. A new invite replaces an ` +
      `open one for the same email. An organization can have at most ${membersMax} members and ` +
      `open invites, and create ${invitesLimit.points} invites in 24 hours. In an hour, an ` +
      `address can be invited ${invitesToOneLimit.points} times by one organization, and ` +
      `${invitesToOneInAllLimit.points} times by all organizations.`,
    body: schemas.newInvite,
    answers: {
      201: { description: 'The new invite, with its token.', schema: schemas.inviteWithToken }
    },
    problems: ['already_member', 'limit_reached', 'login_throttled'],
    share: 'account calls',
    handle: async (call, { store, clock, throttle, mail, config }) => {
      const { role } = call.body
      const email = normalizeEmail(call.body.email)
      refuseBody(violationAt('/email', emailObjection(email)))
      const attempt = { email, remoteAddress: call.remote_address }
      await throttle.invite(attempt, call.principal.organization_id)
      const token = createToken('sli')
      const id = uuidv7(clock.now())
      const { invite, names } = await withOrganizationLock(store, call, async (edit) => {
        await refuseInvite(edit, email, role)
        const made = { invite_id: id, email, role, token_digest: tokenDigestOf(token) }
        const invite = await queries.insertInvite(edit, made)
        await edit.audit('invite.created', id, { email, role })
        return { invite, names: await queries.readNames(edit) }
      })
      mail.send(inviteEmail({ to: email, role, token, ...names, config }))
      // With open registration, the token proves ownership of the address, so only the email
      // contains it.
      return call.reply(201, { ...invite, token: config.REGISTRATION === 'open' ? null : token })
    }
  }),
  route({
    method: 'delete',
    path: `${path}/:invite_id`,
    who: admin,
    id: 'deleteInvite',
    summary: 'Withdraw an invite',
    description: 'Requires the role admin or higher. The token of the invite becomes invalid.',
    params: schemas.inviteParams,
    answers: {
      200: {
        description: 'The invite is withdrawn.',
        schema: deletedOf('invite_id', schemas.invite)
      }
    },
    problems: ['invite_not_found'],
    share: 'account calls',
    handle: async (call, { store }) => {
      const id = call.params.invite_id.toLowerCase()
      await withOrganizationLock(store, call, async (edit) => {
        await requireManager(edit, [])
        const withdrawn = await queries.withdrawInvite(edit, id)
        const { email, role } = requireFound('invite', withdrawn, id)
        await edit.audit('invite.withdrawn', id, { email, role })
      })
      return call.reply(200, { invite_id: id, deleted: true })
    }
  }),
  route({
    method: 'post',
    path: '/v1/auth/invites/accept',
    who: session,
    id: 'acceptInvite',
    summary: 'Accept an invite',
    description:
      'Adds the user to the organization of an invite that was sent to their email. To ' +
      'register a new account instead, send the token to `POST /v1/auth/register`. The ' +
      'session still acts for the same organization; `POST /v1/auth/organization/switch` ' +
      'changes that.',
    body: schemas.acceptance,
    answers: {
      200: { description: 'The user is a member of the organization.', schema: schemas.membership }
    },
    problems: ['token_invalid', 'already_member'],
    share: 'account calls',
    handle: async (call, { store }) => {
      const { token } = call.body
      const { user_id } = call.principal
      const joined = await store.accounts.change(async (transaction) => {
        const { email } = await readUser(transaction, user_id)
        return queries.redeemInvite(transaction, call, { token, user_id, email })
      })
      return call.reply(200, joined)
    }
  })
]

/**
 * Rejects the invite if the user may not create it, the address belongs to a member, or the
 * organization is full. Withdraws earlier open invites to the address.
 * @throws {Problem} 403, 409
 */
async function refuseInvite(edit: Edit, email: string, role: UserRole): Promise<void> {
  await requireManager(edit, [role])
  const members = await readMembers(edit)
  if (members.some((member) => member.email === email)) {
    throw new Problem('already_member', {
      detail: `${email} is already a member of the organization.`
    })
  }
  await queries.withdrawInvitesTo(edit, email)
  const open = (await queries.readInvites(edit)).filter(({ state }) => state === 'pending')
  if (members.length + open.length >= membersMax) {
    throw limitReached('members and open invites', membersMax)
  }
}
