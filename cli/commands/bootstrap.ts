/** `sluice bootstrap`: a first organization with its login and API key, without the web API. */
import { isSameDigest, secretDigestOf } from '../../core/ids/api-key.ts'
import type { ApiKeyParts } from '../../core/ids/api-key.ts'
import { uuidv7 } from '../../core/ids/ids.ts'
import { systemClock } from '../../platform/process/clock.ts'
import { readConfig } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/config.ts'
import { insertApiKey, insertGivenApiKey } from '../../store/insert-api-key.ts'
import type { NewApiKey } from '../../store/insert-api-key.ts'
import { hashPassword } from '../../platform/security/password.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import { bootstrapRequestOf } from '../accounts/bootstrap-request.ts'
import type { BootstrapOptions, BootstrapRequest } from '../accounts/bootstrap-request.ts'
import { findKnownAccount } from '../accounts/known-account.ts'
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

export interface Bootstrapped {
  readonly organization_id: string
  readonly email: string
  /** Null where no key was asked for. */
  readonly key_id: string | null
  /** Null where none was made, or where the environment gave it. */
  readonly api_key: string | null
}

/**
 * Changes nothing when all of it is there. For a known email `--add-key` makes one more key.
 * @throws when the email is known and the rest does not fit it
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

/** Of several at once, all but the first find everything there. */
async function run(
  transaction: Queryable,
  request: BootstrapRequest,
  pepper: string
): Promise<Bootstrapped> {
  await transaction.query(`select pg_advisory_xact_lock(hashtextextended('sluice bootstrap', 0))`)
  const known = await findKnownAccount(transaction, request)
  const organization_id = known ?? (await insertOrganization(transaction, request))
  const { email, keyEnv, scopes, givenKey, addsKey } = request
  const account = { organization_id, email }
  const key = {
    ...{ organization_id, name: 'bootstrap', environment: keyEnv, scopes },
    ...{ expires_at: null, rate_limit_points: null }
  }
  if (givenKey !== null) {
    await ensureKey(transaction, pepper, { ...key, ...givenKey })
    return { ...account, key_id: givenKey.key_id, api_key: null }
  }
  if (known !== null && !addsKey) return { ...account, key_id: null, api_key: null }
  return { ...account, ...(await insertApiKey(transaction, pepper, key)) }
}

/** One that was revoked stays revoked. @throws when its id is taken by another key */
async function ensureKey(
  transaction: Queryable,
  pepper: string,
  key: NewApiKey & ApiKeyParts
): Promise<void> {
  const [found] = await transaction.query<{ organization_id: string; secret_digest: Buffer }>(
    `select organization_id, secret_digest from api_keys where key_id = $1`,
    [key.key_id]
  )
  if (found === undefined) return insertGivenApiKey(transaction, pepper, key)
  const isOurs = found.organization_id === key.organization_id
  if (isOurs && isSameDigest(found.secret_digest, secretDigestOf(pepper, key.secret))) return
  throw new Error(
    isOurs
      ? `the key ${key.key_id} has another secret, or API_KEY_PEPPER is another one than then`
      : `the id of BOOTSTRAP_API_KEY, ${key.key_id}, is taken; sluice keys generate makes one up`
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
