/** Reads and changes organizations and their members. */
import { Problem } from '../../core/problem.ts'
import type { SessionPrincipal } from '../../core/principal.ts'
import { mayActAs } from '../../core/user-role.ts'
import type { UserRole } from '../../core/user-role.ts'
import type { Static } from '../../http/schema.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import { query, sql } from '../../platform/postgres/sql.ts'
import type { Edit, OrganizationRows } from '../configuration/with-organization-lock.ts'
import type { Store } from '../store.ts'
import type { member, organization } from './schemas.ts'

/** Reads the organization that a session acts for. */
export async function readOrganization(store: Store, { organization_id, role }: SessionPrincipal) {
  const [found] = await query<Omit<Static<typeof organization>, 'role'>>(
    store.of(organization_id),
    sql`select o.organization_id, o.name, o.rate_limit_points, o.created_at,
               (select count(*) from memberships m
                 where m.organization_id = ${organization_id}) as members
          from organizations o where o.organization_id = ${organization_id}`
  )
  if (found !== undefined) return { ...found, role }
  const detail = 'The organization of this session no longer exists.'
  throw new Problem('organization_not_found', { detail })
}

export async function renameOrganization(edit: Edit, name: string): Promise<void> {
  await query(
    edit,
    sql`update organizations set name = ${name} where organization_id = ${edit.organizationId}`
  )
}

/**
 * Moves a session to another organization.
 * @param transaction opened on `store.accounts`
 * @returns the role of the user in the new organization
 * @throws {Problem} 404 if the user is not a member of that organization
 */
export async function moveSession(
  transaction: Queryable,
  { organization_id, user_id, session_id }: SessionPrincipal
): Promise<UserRole> {
  const [membership] = await query<{ role: UserRole }>(
    transaction,
    sql`select role from memberships
         where organization_id = ${organization_id} and user_id = ${user_id}`
  )
  if (membership === undefined) {
    const detail = `You are not a member of an organization with the id ${organization_id}.`
    throw new Problem('organization_not_found', { detail })
  }
  // Lock the user before the session, in the same order as logins and password changes, to avoid
  // deadlocks.
  await query(
    transaction,
    sql`update users set last_organization_id = ${organization_id} where user_id = ${user_id}`
  )
  await query(
    transaction,
    sql`update sessions set organization_id = ${organization_id}
         where session_id = ${session_id} and user_id = ${user_id}`
  )
  return membership.role
}

export type Member = Static<typeof member>

/**
 * Maximum number of members and pending invites of an organization. Pending invites count, so that
 * every invited user can join.
 */
export const membersMax = 1000

const selectMembers = ({ organizationId }: OrganizationRows) => sql`
  select m.user_id, u.email, u.name, m.role, m.created_at as joined_at,
         u.email_verified_at is not null as email_verified
    from memberships m join users u using (user_id)
   where m.organization_id = ${organizationId}`

/** Reads the members, unordered. */
export function readMembers(ours: OrganizationRows): Promise<Member[]> {
  return query<Member>(ours, selectMembers(ours))
}

export async function readMember(ours: OrganizationRows, userId: string): Promise<Member | null> {
  const one = sql`${selectMembers(ours)} and m.user_id = ${userId}`
  const [found] = await query<Member>(ours, one)
  return found ?? null
}

export async function updateRole(edit: Edit, userId: string, role: UserRole): Promise<void> {
  await query(
    edit,
    sql`update memberships set role = ${role}
         where organization_id = ${edit.organizationId} and user_id = ${userId}`
  )
}

export async function deleteMember(edit: Edit, userId: string): Promise<void> {
  await query(
    edit,
    sql`delete from memberships
         where organization_id = ${edit.organizationId} and user_id = ${userId}`
  )
}

/**
 * Rejects users who may not manage the organization. Admins can manage everything except owners.
 * Reads the role from the database, not from the session, because another change may have updated
 * it while this one waited for the lock.
 * @param roles the current and the new role of the member to manage; empty if no member is managed
 * @throws {Problem} 403
 */
export async function requireManager(edit: Edit, roles: readonly string[]): Promise<void> {
  const actor = await readMember(edit, edit.userId)
  const needed: UserRole = roles.includes('owner') ? 'owner' : 'admin'
  if (actor !== null && mayActAs(actor.role, needed)) return
  const required = needed === 'owner' ? 'owner' : 'admin or higher'
  const has = actor === null ? 'you are no longer a member' : `your role is ${actor.role}`
  const detail = `This action requires the role ${required}; ${has}.`
  throw new Problem('role_missing', { detail, members: { role: needed } })
}

/** @throws {Problem} 409 last_owner if the organization has only one owner */
export async function refuseLastOwner(edit: Edit): Promise<void> {
  const owners = await query(
    edit,
    sql`select user_id from memberships
         where organization_id = ${edit.organizationId} and role = 'owner' limit 2`
  )
  if (owners.length > 1) return
  const detail = 'This is the only owner of the organization. Make another member an owner first.'
  throw new Problem('last_owner', { detail })
}

/**
 * Ends the sessions of a user in an organization when the user leaves or joins it. After the user
 * leaves, the sessions would fail anyway, but this records the reason. When the user joins again,
 * sessions of the earlier membership would otherwise become valid again.
 * @param transaction opened on `store.accounts`
 */
export async function endSessions(
  transaction: Queryable,
  organizationId: string,
  userId: string
): Promise<void> {
  await query(
    transaction,
    sql`update sessions set revoked_at = now(), revoked_reason = 'removed'
         where user_id = ${userId} and organization_id = ${organizationId}
           and revoked_at is null`
  )
}
