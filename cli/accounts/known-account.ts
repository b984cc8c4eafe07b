/** The account that an email has already, and whether it is the one that is meant. */
import { verifyPassword } from '../../platform/security/password.ts'
import type { Queryable, Row } from '../../platform/postgres/postgres.ts'
import type { BootstrapRequest } from './bootstrap-request.ts'

interface AccountRow extends Row {
  readonly password_hash: string
  readonly is_password_changed: boolean
  readonly organization_id: string
  readonly name: string
  readonly is_renamed: boolean
}

const statement = `
  select u.password_hash, u.password_changed_at > u.created_at as is_password_changed,
         m.organization_id, o.name,
         exists (select from audit_log a
                  where a.organization_id = m.organization_id
                    and a.action = 'organization.renamed') as is_renamed
    from users u join memberships m using (user_id) join organizations o
      on o.organization_id = m.organization_id
   where u.email = $1
   order by m.organization_id = u.last_organization_id desc, m.created_at`

/**
 * What people have changed since in the web API, a password or a name, may differ.
 * @returns the organization; null for an email that is not known
 * @throws where the email is known and something else is meant
 */
export async function findKnownAccount(
  transaction: Queryable,
  { email, organization, password }: BootstrapRequest
): Promise<string | null> {
  const rows = await transaction.query<AccountRow>(statement, [email])
  const [first] = rows
  if (first === undefined) return (await isKnown(transaction, email)) ? leaveAlone(email) : null
  const found = rows.find(({ name }) => name === organization)
  const meant = found ?? rows.find(({ is_renamed }) => is_renamed)
  if (meant === undefined) throw otherOrganization(email, rows)
  const { password_hash, is_password_changed } = first
  if (!is_password_changed && !(await verifyPassword(password_hash, password))) {
    throw new Error(
      `${email} is known, and this is not the password it was made with; give that one, ` +
        'or another email for another login'
    )
  }
  return meant.organization_id
}

/** Somebody whom every organization has removed. */
async function isKnown(transaction: Queryable, email: string): Promise<boolean> {
  const rows = await transaction.query(`select user_id from users where email = $1`, [email])
  return rows.length > 0
}

function leaveAlone(email: string): never {
  throw new Error(`${email} is known and belongs to no organization; give another email`)
}

function otherOrganization(email: string, rows: readonly AccountRow[]): Error {
  const names = rows.map(({ name }) => JSON.stringify(name)).join(', ')
  return new Error(
    `${email} is known and belongs to ${names}; name that organization, ` +
      'or give another email for another one'
  )
}
