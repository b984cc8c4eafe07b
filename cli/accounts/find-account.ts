/** Finds the account for an email address, and checks that it matches the request. */
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
 * Returns the organization of the user with this email, or null if the email is not registered.
 * Does not compare a password or organization name that was changed through the web API.
 * @throws if the email is registered with another organization or password, or belongs to no
 * organization
 */
export async function findAccount(
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
      `${email} is registered with another password; pass the password that the account was ` +
        'created with, or use another email'
    )
  }
  return meant.organization_id
}

/** Checks whether the user exists. Users removed from every organization still exist. */
async function isKnown(transaction: Queryable, email: string): Promise<boolean> {
  const rows = await transaction.query(`select user_id from users where email = $1`, [email])
  return rows.length > 0
}

function leaveAlone(email: string): never {
  throw new Error(`${email} is registered but belongs to no organization; use another email`)
}

function otherOrganization(email: string, rows: readonly AccountRow[]): Error {
  const names = rows.map(({ name }) => JSON.stringify(name)).join(', ')
  return new Error(
    `${email} is registered and belongs to ${names}; name that organization, or use another email`
  )
}
