/** `sluice bootstrap`: a first organization with its login and API key, without the web API. */
import type { ApiKeyScope } from '../../core/api-key.ts'
import { uuidv7 } from '../../core/ids.ts'
import { systemClock } from '../../platform/clock.ts'
import { readConfig } from '../../platform/config.ts'
import type { Environment } from '../../platform/config.ts'
import { insertApiKey } from '../../platform/insert-api-key.ts'
import { hashPassword } from '../../platform/password.ts'
import type { Queryable } from '../../platform/postgres.ts'
import { withPostgres } from '../with-postgres.ts'

export interface BootstrapOptions {
  readonly organization: string
  readonly email: string
  readonly password: string
  readonly keyEnv: string
  readonly scopes: readonly ApiKeyScope[]
  readonly rateLimit?: number
  readonly json?: boolean
}

/**
 * For an email that is known already, its organization gets one more key and nothing else changes.
 */
export async function bootstrap(
  environment: Environment,
  options: BootstrapOptions,
  write: (line: string) => void
): Promise<void> {
  const config = readConfig(environment, ['DATABASE_URL', 'DATABASE_TLS_CA', 'API_KEY_PEPPER'])
  const email = options.email.trim().toLowerCase()
  const created = await withPostgres(config, (postgres) =>
    postgres.transaction(async (transaction) => {
      const known = await selectOrganizationOf(transaction, email)
      const organization_id =
        known ?? (await insertOrganization(transaction, { ...options, email }))
      const { api_key } = await insertApiKey(transaction, config.API_KEY_PEPPER, {
        ...{ organization_id, name: 'bootstrap', environment: options.keyEnv },
        ...{ scopes: options.scopes, expires_at: null, rate_limit_points: null }
      })
      return { organization_id, email, api_key }
    })
  )
  const lines = Object.entries(created).map(([name, value]) => `${name} ${value}`)
  write(options.json === true ? JSON.stringify(created) : lines.join('\n'))
}

async function selectOrganizationOf(transaction: Queryable, email: string): Promise<string | null> {
  const statement = `
    select m.organization_id from users u join memberships m using (user_id)
     where u.email = $1
     order by m.organization_id = u.last_organization_id desc, m.created_at limit 1`
  const rows = await transaction.query<{ organization_id: string }>(statement, [email])
  return rows[0]?.organization_id ?? null
}

async function insertOrganization(
  transaction: Queryable,
  options: BootstrapOptions
): Promise<string> {
  const organization_id = uuidv7(systemClock.now())
  await transaction.query(
    `insert into organizations (organization_id, name, rate_limit_points) values ($1, $2, $3)`,
    [organization_id, options.organization, options.rateLimit ?? null]
  )
  const user_id = uuidv7(systemClock.now())
  await transaction.query(
    `insert into users (user_id, last_organization_id, email, password_hash)
     values ($1, $2, $3, $4)`,
    [user_id, organization_id, options.email, await hashPassword(options.password)]
  )
  await transaction.query(
    `insert into memberships (organization_id, user_id, role) values ($1, $2, 'owner')`,
    [organization_id, user_id]
  )
  return organization_id
}
