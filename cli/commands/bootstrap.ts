/** `sluice bootstrap`: a first organization with its login and API key, without the web API. */
import { createApiKey, secretDigestOf } from '../../core/api-key.ts'
import { uuidv7 } from '../../core/ids.ts'
import { systemClock } from '../../platform/clock.ts'
import { readConfig } from '../../platform/config.ts'
import type { Environment } from '../../platform/config.ts'
import { hashPassword } from '../../platform/password.ts'
import { createPostgres } from '../../platform/postgres.ts'
import type { Queryable } from '../../platform/postgres.ts'

export interface BootstrapOptions {
  readonly organization: string
  readonly email: string
  readonly password: string
  readonly keyEnv: string
  /** Separated by commas. */
  readonly scopes: string
  readonly rateLimit?: string
  readonly json?: boolean
}

const statementTimeoutMs = 10_000

/**
 * For an email that is known already, its organization gets one more key and nothing else changes.
 */
export async function bootstrap(
  environment: Environment,
  options: BootstrapOptions,
  write: (line: string) => void
): Promise<void> {
  const config = readConfig(environment, ['DATABASE_URL', 'DATABASE_TLS_CA', 'API_KEY_PEPPER'])
  const postgres = createPostgres({
    url: config.DATABASE_URL,
    ca: config.DATABASE_TLS_CA,
    applicationName: 'sluice-cli',
    connectionsMax: 1,
    statementTimeoutMs
  })
  try {
    const email = options.email.trim().toLowerCase()
    const created = await postgres.transaction(async (transaction) => {
      const known = await selectOrganizationOf(transaction, email)
      const organization_id =
        known ?? (await insertOrganization(transaction, { ...options, email }))
      const api_key = await insertKey(transaction, {
        ...options,
        organization_id,
        pepper: config.API_KEY_PEPPER
      })
      return { organization_id, email, api_key }
    })
    const lines = Object.entries(created).map(([name, value]) => `${name} ${value}`)
    write(options.json === true ? JSON.stringify(created) : lines.join('\n'))
  } finally {
    await postgres.close()
  }
}

async function selectOrganizationOf(transaction: Queryable, email: string): Promise<string | null> {
  const statement = `select organization_id from users where email = $1`
  const rows = await transaction.query<{ organization_id: string }>(statement, [email])
  return rows[0]?.organization_id ?? null
}

async function insertOrganization(
  transaction: Queryable,
  options: BootstrapOptions
): Promise<string> {
  const organization_id = uuidv7(systemClock.now())
  const rateLimit = options.rateLimit === undefined ? null : Number(options.rateLimit)
  await transaction.query(
    `insert into organizations (organization_id, name, rate_limit_points) values ($1, $2, $3)`,
    [organization_id, options.organization, rateLimit]
  )
  await transaction.query(
    `insert into users (user_id, organization_id, email, password_hash, role)
     values ($1, $2, $3, $4, 'owner')`,
    [
      uuidv7(systemClock.now()),
      organization_id,
      options.email,
      await hashPassword(options.password)
    ]
  )
  return organization_id
}

interface KeyOptions extends BootstrapOptions {
  readonly organization_id: string
  readonly pepper: string
}

async function insertKey(transaction: Queryable, options: KeyOptions): Promise<string> {
  const { key_id, secret, api_key } = createApiKey(options.keyEnv)
  await transaction.query(
    `insert into api_keys (key_id, organization_id, name, secret_digest, scopes)
     values ($1, $2, 'bootstrap', $3, $4)`,
    [
      key_id,
      options.organization_id,
      secretDigestOf(options.pepper, secret),
      options.scopes.split(',')
    ]
  )
  return api_key
}
