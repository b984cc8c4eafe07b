/** GET and PATCH of /v1/auth/me: the person of the session, and where they belong. */
import { permissionsOf } from '../../core/permissions.ts'
import type { Queryable, Row } from '../../platform/postgres/postgres.ts'
import { jsonReply } from '../../http/call.ts'
import type { SessionPrincipal } from '../../core/principal.ts'
import type { Reply } from '../../http/call.ts'
import type { SessionHandle } from '../../http/route.ts'
import type { AccountStore } from '../store.ts'
import { readPerson } from './person.ts'

interface Membership extends Row {
  readonly id: string
  readonly name: string
  readonly role: string
}

export function createMe({ accounts }: { readonly accounts: AccountStore }) {
  async function show({ user_id, organization_id, role }: SessionPrincipal): Promise<Reply> {
    const [user, organizations] = await Promise.all([
      readPerson(accounts, user_id),
      readMemberships(accounts, user_id)
    ])
    const permissions = permissionsOf(role)
    return jsonReply(
      200,
      JSON.stringify({ user, organizations, organization_id, role, permissions })
    )
  }

  const showMe: SessionHandle = ({ principal }) => show(principal)

  const changeMe: SessionHandle = async ({ principal, body }) => {
    const { name } = body as { name?: string | null }
    if (name !== undefined) {
      await accounts.change((transaction) =>
        transaction.query(`update users set name = $2 where user_id = $1`, [
          ...[principal.user_id, name]
        ])
      )
    }
    return show(principal)
  }

  return { showMe, changeMe }
}

/** Organizations of one person; the oldest memberships. */
const membershipsMax = 1000

function readMemberships(accounts: Queryable, userId: string): Promise<Membership[]> {
  return accounts.query<Membership>(
    `select o.organization_id as id, o.name, m.role
       from memberships m join organizations o using (organization_id)
      where m.user_id = $1
      order by m.created_at, o.organization_id
      limit ${membershipsMax}`,
    [userId]
  )
}
