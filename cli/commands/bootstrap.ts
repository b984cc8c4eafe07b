/** `sluice bootstrap`: creates the first organization, its user and its API key. */
import { isSameDigest, secretDigestOf } from '../../core/ids/api-key.ts'
import type { ApiKeyParts } from '../../core/ids/api-key.ts'
import { uuidv7 } from '../../core/ids/ids.ts'
import { systemClock } from '../../platform/process/clock.ts'
import { readConfig } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/config.ts'
import { insertApiKey, importApiKey } from '../../store/insert-api-key.ts'
import type { NewApiKey } from '../../store/insert-api-key.ts'
import { hashPassword } from '../../platform/security/password.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import { bootstrapRequestOf } from '../accounts/bootstrap-request.ts'
import type { BootstrapOptions, BootstrapRequest } from '../accounts/bootstrap-request.ts'
import { findAccount } from '../accounts/find-account.ts'
import { withPostgres } from '../with-postgres.ts'

const settingNames = [
  'DATABASE_URL',
  'DATABASE_TLS_CA',
  'API_KEY_PEPPER',
  'BOOTSTRAP_ORGANIZATION',
  'BOOTSTRAP_EMAIL',
  'BOOTSTRAP_PASSWORD',
  'BOOTSTRAP_API_KEY'
] as const

interface Bootstrapped {
  readonly organization_id: string
  readonly email: string
  /** Null if the email was already registered and no key was requested. */
  readonly key_id: string | null
  /** Null if no key was created, or if the key comes from the environment. */
  readonly api_key: string | null
}

/**
 * Creates the organization, the user and the requested key if they do not exist yet. With
 * `--add-key`, creates another key for a registered email.
 * @throws if the email is registered with another organization or password
 */
export async function bootstrap(
  environment: Environment,
  options: BootstrapOptions,
  write: (line: string) => void
): Promise<void> {
  const config = readConfig(environment, settingNames)
  const request = bootstrapRequestOf(options, config)
  const done = await withPostgres(config, (postgres) =>
    postgres.transaction((transaction) => run(transaction, request, config.API_KEY_PEPPER))
  )
  const known = Object.entries(done).filter(([, value]) => value !== null)
  const lines = known.map(([name, value]) => `${name} ${value}`)
  write(options.json === true ? JSON.stringify(done) : lines.join('\n'))
}

/**
 * Runs in one transaction. Concurrent runs wait for each other, so that they do not create the
 * same account twice.
 */
async function run(
  transaction: Queryable,
  request: BootstrapRequest,
  pepper: string
): Promise<Bootstrapped> {
  await transaction.query(`select pg_advisory_xact_lock(hashtextextended('sluice bootstrap', 0))`)
  const known = await findAccount(transaction, request)
  const organization_id = known ?? (await insertOrganization(transaction, request))
  const { email, keyEnv, scopes, givenKey, addsKey } = request
  const account = { organization_id, email }
  const key = {
    organization_id,
    name: 'bootstrap',
    environment: keyEnv,
    scopes,
    expires_at: null,
    rate_limit_points: null
  }
  if (givenKey !== null) {
    await ensureKey(transaction, pepper, { ...key, ...givenKey })
    return { ...account, key_id: givenKey.key_id, api_key: null }
  }
  if (known !== null && !addsKey) return { ...account, key_id: null, api_key: null }
  return { ...account, ...(await insertApiKey(transaction, pepper, key)) }
}

/**
 * Creates the key if it does not exist. A revoked key stays revoked.
 * @throws if another key has this ID
 */
async function ensureKey(
  transaction: Queryable,
  pepper: string,
  key: NewApiKey & ApiKeyParts
): Promise<void> {
  const [found] = await transaction.query<{ organization_id: string; secret_digest: Buffer }>(
    `select organization_id, secret_digest from api_keys where key_id = $1`,
    [key.key_id]
  )
  if (found === undefined) return importApiKey(transaction, pepper, key)
  const isOurs = found.organization_id === key.organization_id
  if (isOurs && isSameDigest(found.secret_digest, secretDigestOf(pepper, key.secret))) return
  throw new Error(
    isOurs
      ? `the API key ${key.key_id} exists with another secret, or API_KEY_PEPPER has changed since`
      : `BOOTSTRAP_API_KEY: the id ${key.key_id} belongs to another organization; generate a ` +
          'key with sluice keys generate'
  )
}

async function insertOrganization(
  transaction: Queryable,
  { organization, email, password, rateLimit }: BootstrapRequest
): Promise<string> {
  const now = systemClock.now()
  const [organization_id, user_id] = [uuidv7(now), uuidv7(now)]
  await transaction.query(
    `insert into organizations (organization_id, name, rate_limit_points) values ($1, $2, $3)`,
    [organization_id, organization, rateLimit]
  )
  await transaction.query(
    `insert into users (user_id, last_organization_id, email, password_hash)
     values ($1, $2, $3, $4)`,
    [user_id, organization_id, email, await hashPassword(password)]
  )
  await transaction.query(
    `insert into memberships (organization_id, user_id, role) values ($1, $2, 'owner')`,
    [organization_id, user_id]
  )
  return organization_id
}
