/** The open invites of one organization. */
import type { UserRole } from '../../../core/user-role.ts'
import type { Row } from '../../../platform/postgres/postgres.ts'
import type { Edit, OrganizationRows } from '../../configuration/take-turn.ts'
import { membersMax } from '../member-rows.ts'

/** Not accepted, and not withdrawn. */
export interface OpenInvite extends Row {
  readonly invite_id: string
  readonly email: string
  readonly role: UserRole
  readonly invited_by: string
  readonly created_at: Date
  readonly expires_at: Date
  readonly state: 'pending' | 'expired'
}

export const inviteDays = 7

const isOpen = 'accepted_at is null and revoked_at is null'
const columns = `invite_id, email, role, invited_by, created_at, expires_at,
                 case when expires_at > now() then 'pending' else 'expired' end as state`

/** Twice as many as may be pending: expired ones stay until somebody withdraws them. */
const invitesMax = 2 * membersMax

/** The newest of them, the oldest first. */
export function readInvites(ours: OrganizationRows): Promise<OpenInvite[]> {
  return ours.query<OpenInvite>(
    `select *
       from (select ${columns}
               from invites
              where organization_id = $1 and ${isOpen}
              order by invite_id desc
              limit ${invitesMax}) newest
      order by invite_id`,
    [ours.organizationId]
  )
}

/** @returns what it was; null when none is open. */
export async function withdrawInvite(edit: Edit, inviteId: string): Promise<OpenInvite | null> {
  const [withdrawn] = await edit.query<OpenInvite>(
    `update invites set revoked_at = now()
      where organization_id = $1 and invite_id = $2 and ${isOpen}
      returning ${columns}`,
    [edit.organizationId, inviteId]
  )
  return withdrawn ?? null
}

/** Its place is taken by another one for the same address. */
export async function withdrawInvitesTo(edit: Edit, email: string): Promise<void> {
  await edit.query(
    `update invites set revoked_at = now()
      where organization_id = $1 and email = $2 and ${isOpen}`,
    [edit.organizationId, email]
  )
}

/** @param kept roles that the person may still invite to */
export async function withdrawInvitesBy(
  edit: Edit,
  userId: string,
  kept: readonly UserRole[]
): Promise<void> {
  await edit.query(
    `update invites set revoked_at = now()
      where organization_id = $1 and invited_by = $2 and role <> all($3) and ${isOpen}`,
    [edit.organizationId, userId, kept]
  )
}

export interface NewInvite {
  readonly invite_id: string
  readonly email: string
  readonly role: UserRole
  readonly token_digest: Buffer
}

export async function insertInvite(edit: Edit, invite: NewInvite): Promise<OpenInvite> {
  const { invite_id, email, role, token_digest } = invite
  const rows = await edit.query<OpenInvite>(
    `insert into invites (organization_id, invite_id, email, role, token_digest, invited_by,
                          expires_at)
     values ($1, $2, $3, $4, $5, $6, now() + make_interval(days => $7))
     returning ${columns}`,
    [edit.organizationId, invite_id, email, role, token_digest, edit.userId, inviteDays]
  )
  return rows[0] as OpenInvite
}
