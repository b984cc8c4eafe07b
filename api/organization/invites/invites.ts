/** GET, POST and DELETE of /v1/auth/organization/invites. */
import { emailObjection, normalizeEmail } from '../../../core/account-rules.ts'
import type { Clock } from '../../../core/clock.ts'
import { uuidv7 } from '../../../core/ids/ids.ts'
import { createToken, tokenDigestOf } from '../../../core/ids/opaque-token.ts'
import { Problem } from '../../../core/problem.ts'
import type { UserRole } from '../../../core/user-role.ts'
import type { Mail } from '../../../platform/process/mail.ts'
import type { RateLimiter } from '../../../platform/rate-limit/rate-limiter.ts'
import { jsonReply } from '../../../http/call.ts'
import type { SessionHandle } from '../../../http/route.ts'
import { listPage } from '../../configuration/list-page.ts'
import type { PageQuery } from '../../configuration/list-page.ts'
import { existing, invalidBody, limitReached } from '../../configuration/refusals.ts'
import { takeTurn } from '../../configuration/take-turn.ts'
import type { Edit } from '../../configuration/take-turn.ts'
import type { Store } from '../../store.ts'
import { inviteLetterOf } from './invite-letter.ts'
import type { InviteLetter } from './invite-letter.ts'
import { insertInvite, readInvites, withdrawInvite, withdrawInvitesTo } from './invite-rows.ts'
import { membersMax, readMembers } from '../member-rows.ts'
import { refuseManaging } from '../refuse-managing.ts'
import { throttleInvites } from './throttle-invites.ts'

export interface InvitesDependencies {
  readonly store: Store
  readonly clock: Clock
  readonly rateLimiter: Pick<RateLimiter, 'take' | 'giveBack'>
  readonly mail: Pick<Mail, 'send'>
  readonly publicUrl: string | null
  /**
   * Whether the response has the token: where anybody may invite, only the email has it, so that
   * it proves whose address it is.
   */
  readonly isTokenShown: boolean
}

interface Invitation {
  readonly email: string
  readonly role: UserRole
}

export function createInvites(dependencies: InvitesDependencies) {
  const { store, clock, rateLimiter, mail, publicUrl, isTokenShown } = dependencies

  const listInvites: SessionHandle = async ({ principal, query }) => {
    const invites = await readInvites(store.of(principal.organization_id))
    const asked = query as unknown as PageQuery
    const { page, meta } = listPage(invites, asked, ({ invite_id }) => invite_id)
    return jsonReply(200, JSON.stringify({ data: page, meta }))
  }

  const createInvite: SessionHandle = async (call) => {
    const invitation = invitationOf(call.body as Invitation)
    const { email: to, role } = invitation
    const organizationId = call.principal.organization_id
    await throttleInvites(rateLimiter, {
      ...{ organizationId, email: to, remoteAddress: call.remote_address }
    })
    const token = createToken('sli')
    const id = uuidv7(clock.now())
    const { invite, ...names } = await takeTurn(store, call, async (edit) => {
      await refuseInvitation(edit, invitation)
      const made = { ...invitation, invite_id: id, token_digest: tokenDigestOf(token) }
      const invite = await insertInvite(edit, made)
      await edit.audit('invite.created', id, { email: to, role })
      return { invite, ...(await readNames(edit)) }
    })
    mail.send(inviteLetterOf({ to, role, token, ...names, publicUrl }))
    return jsonReply(201, JSON.stringify({ ...invite, token: isTokenShown ? token : null }))
  }

  const deleteInvite: SessionHandle = async (call) => {
    const id = (call.params['invite_id'] ?? '').toLowerCase()
    await takeTurn(store, call, async (edit) => {
      await refuseManaging(edit, [])
      const { email, role } = existing('invite', await withdrawInvite(edit, id), id)
      await edit.audit('invite.withdrawn', id, { email, role })
    })
    return jsonReply(200, JSON.stringify({ invite_id: id, deleted: true }))
  }

  return { listInvites, createInvite, deleteInvite }
}

/** @throws {Problem} 422 */
function invitationOf({ email: given, role }: Invitation): Invitation {
  const email = normalizeEmail(given)
  const objection = emailObjection(email)
  if (objection !== null) throw invalidBody([{ pointer: '/email', detail: objection }])
  return { email, role }
}

/** Leaves no open invite for the same address. @throws {Problem} 403 or 409 */
async function refuseInvitation(edit: Edit, { email, role }: Invitation): Promise<void> {
  await refuseManaging(edit, [role])
  const members = await readMembers(edit)
  if (members.some((member) => member.email === email)) {
    throw new Problem('already_member', { detail: `${email} belongs to the organization already.` })
  }
  await withdrawInvitesTo(edit, email)
  const open = (await readInvites(edit)).filter(({ state }) => state === 'pending')
  if (members.length + open.length >= membersMax) {
    throw limitReached('members and open invites', membersMax)
  }
}

/** For the letter. */
async function readNames(edit: Edit): Promise<Pick<InviteLetter, 'organization' | 'from'>> {
  const [names] = await edit.query<{ organization: string; from: string }>(
    `select o.name as organization, u.email as from
       from organizations o cross join users u
      where o.organization_id = $1 and u.user_id = $2`,
    [edit.organizationId, edit.userId]
  )
  return names ?? { organization: '', from: '' }
}
