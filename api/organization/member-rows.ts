/** The people of one organization as the store has them and as readers see them. */
import type { UserRole } from '../../core/user-role.ts'
import type { Row } from '../../platform/postgres/postgres.ts'
import type { OrganizationRows } from '../configuration/take-turn.ts'

export interface Member extends Row {
  readonly user_id: string
  readonly email: string
  readonly name: string | null
  readonly role: UserRole
  readonly email_verified: boolean
  readonly joined_at: Date
}

/** With the invites that are open, so that whoever is invited finds a place. */
export const membersMax = 1000

const columns = `m.user_id, u.email, u.name, m.role, m.created_at as joined_at,
                 u.email_verified_at is not null as email_verified`

/** By their emails. */
export async function readMembers(ours: OrganizationRows): Promise<Member[]> {
  const members = await ours.query<Member>(
    `select ${columns} from memberships m join users u using (user_id)
      where m.organization_id = $1`,
    [ours.organizationId]
  )
  return members.sort((left, right) => (left.email < right.email ? -1 : 1))
}

export async function readMember(ours: OrganizationRows, userId: string): Promise<Member | null> {
  const [member] = await ours.query<Member>(
    `select ${columns} from memberships m join users u using (user_id)
      where m.organization_id = $1 and m.user_id = $2`,
    [ours.organizationId, userId]
  )
  return member ?? null
}
