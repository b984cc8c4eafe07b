/** `sluice keys create`: creates an API key for an organization. */
import type { ApiKeyScope } from '../../core/ids/api-key.ts'
import { systemClock } from '../../platform/process/clock.ts'
import { readConfig } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/config.ts'
import { insertApiKey } from '../../store/insert-api-key.ts'
import { organizationIdOf } from '../keys/key-table.ts'
import { withPostgres } from '../with-postgres.ts'

export interface CreateKeyOptions {
  /** ID or name of the organization. */
  readonly organization: string
  readonly name: string
  readonly env: string
  readonly scopes: readonly ApiKeyScope[]
  /** Lifetime in milliseconds. If undefined, the key does not expire. */
  readonly expires?: number
  readonly rateLimit?: number
  readonly json?: boolean
}

export async function createKey(
  environment: Environment,
  options: CreateKeyOptions,
  write: (line: string) => void
): Promise<void> {
  const config = readConfig(environment, ['DATABASE_URL', 'DATABASE_TLS_CA', 'API_KEY_PEPPER'])
  const { name, scopes, expires, rateLimit } = options
  const expires_at = expires === undefined ? null : new Date(systemClock.now() + expires)
  const created = await withPostgres(config, async (postgres) => {
    const organization_id = await organizationIdOf(postgres, options.organization)
    const key = { organization_id, name, scopes, expires_at, environment: options.env }
    const limited = { ...key, rate_limit_points: rateLimit ?? null }
    return { organization_id, ...(await insertApiKey(postgres, config.API_KEY_PEPPER, limited)) }
  })
  if (options.json === true) return write(JSON.stringify({ ...created, expires_at }))
  write(`key_id ${created.key_id}`)
  write(`api_key ${created.api_key}`)
  write('Save the key now: it is not shown again.')
}
