/** Reads, writes and redeems the open invites of an organization. */
import { normalizeEmail } from '../../../core/account-rules.ts'
import { tokenDigestOf } from '../../../core/ids/opaque-token.ts'
import { Problem } from '../../../core/problem.ts'
import type { UserRole } from '../../../core/user-role.ts'
import type { Static } from '../../../http/schema.ts'
import type { Queryable } from '../../../platform/postgres/postgres.ts'
import { query, sql } from '../../../platform/postgres/sql.ts'
import type { Edit, OrganizationRows } from '../../configuration/with-organization-lock.ts'
import { endSessions, membersMax } from '../queries.ts'
import { originOf, recordAudit } from '../record-audit.ts'
import type { AuditedCall } from '../record-audit.ts'
import { inviteDays } from './schemas.ts'
import type { invite, membership } from './schemas.ts'

/** An invite that has been neither accepted nor withdrawn. It can be expired. */
type OpenInvite = Static<typeof invite>

const isOpen = sql`accepted_at is null and revoked_at is null`
const columns = sql`invite_id, email, role, invited_by, created_at, expires_at,
                    case when expires_at > now() then 'pending' else 'expired' end as state`

/**
 * Maximum number of invites read. Twice the maximum number of pending invites, because expired
 * invites are kept until they are withdrawn.
 */
const invitesMax = 2 * membersMax

/** Reads the newest `invitesMax` open invites, newest first. */
export function readInvites(ours: OrganizationRows): Promise<OpenInvite[]> {
  return query(
    ours,
    sql`select ${columns}
          from invites
         where organization_id = ${ours.organizationId} and ${isOpen}
         order by invite_id desc
         limit ${invitesMax}`
  )
}

const withdraw = ({ organizationId }: Edit) => sql`
  update invites set revoked_at = now() where organization_id = ${organizationId} and ${isOpen}`

/** @returns the withdrawn invite in its former state, or null if it was not open */
export async function withdrawInvite(edit: Edit, inviteId: string): Promise<OpenInvite | null> {
  const one = sql`${withdraw(edit)} and invite_id = ${inviteId} returning ${columns}`
  const [withdrawn] = await query<OpenInvite>(edit, one)
  return withdrawn ?? null
}

/** Withdraws the open invites to an address before a new invite replaces them. */
export async function withdrawInvitesTo(edit: Edit, email: string): Promise<void> {
  await query(edit, sql`${withdraw(edit)} and email = ${email}`)
}

/**
 * Withdraws the open invites created by a member who may no longer create them.
 * @param kept the roles for which the member may still create invites
 */
export async function withdrawInvitesBy(
  edit: Edit,
  userId: string,
  kept: readonly UserRole[]
): Promise<void> {
  await query(edit, sql`${withdraw(edit)} and invited_by = ${userId} and role <> all(${kept})`)
}

export async function insertInvite(
  edit: Edit,
  invite: Pick<OpenInvite, 'invite_id' | 'email' | 'role'> & { readonly token_digest: Buffer }
): Promise<OpenInvite> {
  const { invite_id, email, role, token_digest } = invite
  const [inserted] = await query<OpenInvite>(
    edit,
    sql`insert into invites (organization_id, invite_id, email, role, token_digest, invited_by,
                             expires_at)
        values (${edit.organizationId}, ${invite_id}, ${email}, ${role}, ${token_digest},
                ${edit.userId}, now() + make_interval(days => ${inviteDays}))
        returning ${columns}`
  )
  return inserted as OpenInvite
}

/** Reads the organization name and the email address of the inviting member. */
export async function readNames(edit: Edit) {
  const select = sql`
    select o.name as organization, u.email as from
      from organizations o cross join users u
     where o.organization_id = ${edit.organizationId} and u.user_id = ${edit.userId}`
  const [names] = await query<{ organization: string; from: string }>(edit, select)
  return names ?? { organization: '', from: '' }
}

interface Redemption {
  readonly token: string
  /** Id of the user, who may have been inserted in the same transaction. */
  readonly user_id: string
  readonly email: string
}

type InviteRow = Static<typeof membership> & Pick<OpenInvite, 'invite_id' | 'email'>

/**
 * @param transaction opened on `store.accounts`, because the user is not yet a member
 * @throws {Problem} 422 token_invalid if no open invite to this email has the token; 409
 * already_member
 */
export async function redeemInvite(
  transaction: Queryable,
  call: AuditedCall,
  { user_id, ...request }: Redemption
): Promise<Static<typeof membership>> {
  const invite = await lockInvite(transaction, request)
  const { organization_id, invite_id, name, role } = invite
  await insertMember(transaction, invite, user_id)
  await endSessions(transaction, organization_id, user_id)
  await query(
    transaction,
    sql`update invites set accepted_at = now()
         where organization_id = ${organization_id} and invite_id = ${invite_id}`
  )
  await recordAudit(transaction, originOf(call, user_id, organization_id), {
    action: 'invite.accepted',
    id: invite_id,
    details: { email: invite.email, role }
  })
  return { organization_id, name, role }
}

/**
 * Locks the open invite with this token. If two requests use the token concurrently, the later one
 * waits and then fails.
 * @throws {Problem} 422 token_invalid
 */
export async function lockInvite(
  transaction: Queryable,
  { token, email }: Pick<Redemption, 'token' | 'email'>
): Promise<InviteRow> {
  const [invite] = await query<InviteRow>(
    transaction,
    sql`select i.organization_id, i.invite_id, i.email, i.role, o.name
          from invites i join organizations o using (organization_id)
         where i.token_digest = ${tokenDigestOf(token)}
           and i.accepted_at is null and i.revoked_at is null and i.expires_at > now()
           for no key update of i`
  )
  if (invite !== undefined && invite.email === normalizeEmail(email)) return invite
  const detail =
    'No open invite for your email has this token. It may be expired, withdrawn, accepted, ' +
    'or for another address. Ask for a new invite.'
  throw new Problem('token_invalid', { detail })
}

async function insertMember(
  transaction: Queryable,
  { organization_id, role }: InviteRow,
  userId: string
): Promise<void> {
  const inserted = await query(
    transaction,
    sql`insert into memberships (organization_id, user_id, role)
        values (${organization_id}, ${userId}, ${role})
        on conflict do nothing returning user_id`
  )
  if (inserted.length > 0) return
  throw new Problem('already_member', { detail: 'You are already a member of this organization.' })
}
