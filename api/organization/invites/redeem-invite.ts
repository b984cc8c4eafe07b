/** A person with the token of an invite becomes a member. */
import { normalizeEmail } from '../../../core/account-rules.ts'
import { tokenDigestOf } from '../../../core/ids/opaque-token.ts'
import { Problem } from '../../../core/problem.ts'
import type { UserRole } from '../../../core/user-role.ts'
import type { Queryable, Row } from '../../../platform/postgres/postgres.ts'
import { recordAudit } from '../record-audit.ts'
import type { AuditOrigin } from '../record-audit.ts'

export interface RedeemRequest extends Pick<AuditOrigin, 'address' | 'requestId'> {
  readonly token: string
  /** Exists already, in this transaction at least. */
  readonly user_id: string
  readonly email: string
}

export interface RedeemedInvite {
  readonly organization_id: string
  /** Of the organization. */
  readonly name: string
  readonly role: UserRole
}

interface InviteRow extends Row, RedeemedInvite {
  readonly invite_id: string
  readonly email: string
}

/**
 * @param transaction of `store.accounts`: nobody is a member yet
 * @throws {Problem} 422 token_invalid, the same whatever is wrong with it; 409 already_member
 */
export async function redeemInvite(
  transaction: Queryable,
  request: RedeemRequest
): Promise<RedeemedInvite> {
  const { user_id, address, requestId } = request
  const invite = await lockInvite(transaction, request)
  const { organization_id, invite_id, name, role } = invite
  await insertMember(transaction, invite, user_id)
  await endFormerSessions(transaction, organization_id, user_id)
  await transaction.query(
    `update invites set accepted_at = now() where organization_id = $1 and invite_id = $2`,
    [organization_id, invite_id]
  )
  await recordAudit(transaction, {
    ...{
      organizationId: organization_id,
      address,
      requestId,
      actor: { kind: 'user', id: user_id }
    },
    ...{ action: 'invite.accepted', target: { kind: 'invite', id: invite_id } },
    details: { email: invite.email, role }
  })
  return { organization_id, name, role }
}

/**
 * Of two who redeem it at once, one waits and finds it accepted.
 * @throws {Problem} 422 token_invalid
 */
export async function lockInvite(
  transaction: Queryable,
  { token, email }: Pick<RedeemRequest, 'token' | 'email'>
): Promise<InviteRow> {
  const [invite] = await transaction.query<InviteRow>(
    `select i.organization_id, i.invite_id, i.email, i.role, o.name
       from invites i join organizations o using (organization_id)
      where i.token_digest = $1
        and i.accepted_at is null and i.revoked_at is null and i.expires_at > now()
        for no key update of i`,
    [tokenDigestOf(token)]
  )
  if (invite === undefined || invite.email !== normalizeEmail(email)) throw tokenInvalid()
  return invite
}

async function insertMember(
  transaction: Queryable,
  { organization_id, role }: InviteRow,
  userId: string
): Promise<void> {
  const inserted = await transaction.query(
    `insert into memberships (organization_id, user_id, role) values ($1, $2, $3)
     on conflict do nothing returning user_id`,
    [organization_id, userId, role]
  )
  if (inserted.length > 0) return
  throw new Problem('already_member', { detail: 'You belong to this organization already.' })
}

/** Of a membership before this one, should they not have ended with it: they do not come back. */
async function endFormerSessions(
  transaction: Queryable,
  organizationId: string,
  userId: string
): Promise<void> {
  await transaction.query(
    `update sessions set revoked_at = now(), revoked_reason = 'removed'
      where user_id = $1 and organization_id = $2 and revoked_at is null`,
    [userId, organizationId]
  )
}

function tokenInvalid(): Problem {
  const detail =
    'No open invite for your email has this token: it may be over, withdrawn, accepted, or ' +
    'for another address. Ask for another one.'
  return new Problem('token_invalid', { detail })
}
