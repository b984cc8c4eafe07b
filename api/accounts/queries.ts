/** Reads users, their organizations and sessions, and credentials. */
import { permissionsOf } from '../../core/permissions.ts'
import type { Principal, SessionPrincipal } from '../../core/principal.ts'
import type { Static } from '../../http/schema.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import { query, sql } from '../../platform/postgres/sql.ts'
import type { credential, me, ownSession, User } from './schemas.ts'

type Me = Static<typeof me>
type OwnSession = Static<typeof ownSession>
type CredentialView = Static<typeof credential>

/** Maximum number of memberships returned, oldest first. */
const membershipsMax = 1000

export async function readUser(accounts: Queryable, userId: string): Promise<User> {
  const [user] = await query<User>(
    accounts,
    sql`select user_id as id, email, name, email_verified_at is not null as email_verified,
               created_at
          from users where user_id = ${userId}`
  )
  if (user === undefined) throw new Error('the user of the session does not exist')
  return user
}

/** Reads the user of a session with their organizations. */
export async function readMe(accounts: Queryable, principal: SessionPrincipal): Promise<Me> {
  const { user_id, organization_id, role } = principal
  const [user, organizations] = await Promise.all([
    readUser(accounts, user_id),
    query<Me['organizations'][number]>(
      accounts,
      sql`select o.organization_id as id, o.name, m.role
            from memberships m join organizations o using (organization_id)
           where m.user_id = ${user_id}
           order by m.created_at, o.organization_id
           limit ${membershipsMax}`
    )
  ])
  return { user, organizations, organization_id, role, permissions: permissionsOf(role) }
}

export function readOwnSessions(
  accounts: Queryable,
  { user_id, session_id }: SessionPrincipal
): Promise<OwnSession[]> {
  return query<OwnSession>(
    accounts,
    sql`select session_id, organization_id, created_at, last_used_at, expires_at, ends_at,
               user_agent, address, session_id = ${session_id} as is_current
          from sessions
         where user_id = ${user_id} and revoked_at is null
           and expires_at > now() and ends_at > now()`
  )
}

/** Reads the owner and the permissions of a session or API key. */
export async function readCredential(
  accounts: Queryable,
  principal: Principal
): Promise<CredentialView> {
  const id = principal.organization_id
  const [organization = { id, name: '' }] = await query<CredentialView['organization']>(
    accounts,
    sql`select organization_id as id, name from organizations where organization_id = ${id}`
  )
  if (principal.kind === 'session') {
    const { kind, user_id, session_id, role } = principal
    const [session] = await query<{ expires_at: Date }>(
      accounts,
      sql`select expires_at from sessions where session_id = ${session_id}`
    )
    const expires_at = session?.expires_at ?? null
    return { organization, kind, user_id, session_id, role, expires_at }
  }
  const { kind, key_id, scopes } = principal
  const [key] = await query<{ name: string; expires_at: Date | null }>(
    accounts,
    sql`select name, expires_at from api_keys where key_id = ${key_id}`
  )
  const { name = null, expires_at = null } = key ?? {}
  return { organization, kind, key_id, name, scopes, expires_at }
}
