/** Inserts API keys. Only a digest of the secret is stored, so a key can be shown only once. */
import { createApiKey, secretDigestOf } from '../core/ids/api-key.ts'
import type { ApiKeyParts, ApiKeyScope } from '../core/ids/api-key.ts'
import type { Queryable } from '../platform/postgres/postgres.ts'

export interface NewApiKey {
  readonly organization_id: string
  readonly name: string
  /** The `<env>` part of `slk_<env>_…`. */
  readonly environment: string
  readonly scopes: readonly ApiKeyScope[]
  readonly expires_at: Date | null
  /** Maximum number of decisions per window for this key; null if the key has no separate limit. */
  readonly rate_limit_points: number | null
  /** User who created the key; null if it was created on the command line. */
  readonly created_by?: string | null
}

interface CreatedApiKey {
  readonly key_id: string
  /** The full key, to be shown once. */
  readonly api_key: string
}

export async function insertApiKey(
  transaction: Queryable,
  pepper: string,
  key: NewApiKey
): Promise<CreatedApiKey> {
  const { api_key, ...parts } = createApiKey(key.environment)
  await importApiKey(transaction, pepper, { ...key, ...parts })
  return { key_id: parts.key_id, api_key }
}

/**
 * Inserts a key that was created elsewhere.
 * @throws the Postgres error if the key ID already exists
 */
export async function importApiKey(
  transaction: Queryable,
  pepper: string,
  key: NewApiKey & ApiKeyParts
): Promise<void> {
  await transaction.query(
    `insert into api_keys (key_id, organization_id, name, environment, scopes, expires_at,
                           rate_limit_points, secret_digest, created_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      key.key_id,
      key.organization_id,
      key.name,
      key.environment,
      key.scopes,
      key.expires_at,
      key.rate_limit_points,
      secretDigestOf(pepper, key.secret),
      key.created_by ?? null
    ]
  )
}
