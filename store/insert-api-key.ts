/** Writes API keys: each is shown when it is made, and of its secret only a digest is kept. */
import { createApiKey, secretDigestOf } from '../core/ids/api-key.ts'
import type { ApiKeyParts, ApiKeyScope } from '../core/ids/api-key.ts'
import type { Queryable } from '../platform/postgres/postgres.ts'

export interface NewApiKey {
  readonly organization_id: string
  readonly name: string
  /** The <env> of slk_<env>_…. */
  readonly environment: string
  readonly scopes: readonly ApiKeyScope[]
  readonly expires_at: Date | null
  /** Decisions in a window for this key alone; null is no such limit. */
  readonly rate_limit_points: number | null
  /** The person who made it; null for the command line. */
  readonly created_by?: string | null
}

export interface MadeApiKey {
  readonly key_id: string
  /** Whole, to be shown this once. */
  readonly api_key: string
}

export async function insertApiKey(
  transaction: Queryable,
  pepper: string,
  key: NewApiKey
): Promise<MadeApiKey> {
  const { api_key, ...parts } = createApiKey(key.environment)
  await insertGivenApiKey(transaction, pepper, { ...key, ...parts })
  return { key_id: parts.key_id, api_key }
}

/** One that was made elsewhere. @throws what the store throws when its id is taken */
export async function insertGivenApiKey(
  transaction: Queryable,
  pepper: string,
  key: NewApiKey & ApiKeyParts
): Promise<void> {
  await transaction.query(
    `insert into api_keys (key_id, organization_id, name, environment, scopes, expires_at,
                           rate_limit_points, secret_digest, created_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      ...[key.key_id, key.organization_id, key.name, key.environment, key.scopes, key.expires_at],
      ...[key.rate_limit_points, secretDigestOf(pepper, key.secret), key.created_by ?? null]
    ]
  )
}
