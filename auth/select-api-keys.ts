/** Selects API keys together with the rate limits of their organizations, many in one query. */
import type { ApiKeyScope } from '../core/ids/api-key.ts'
import type { Queryable } from '../platform/postgres/postgres.ts'
import type { KeyPrincipal } from '../core/principal.ts'

export interface ApiKeyRow {
  readonly secret_digest: Buffer
  /** Milliseconds since 1970; null if the key never expires. */
  readonly expires_at: number | null
  readonly revoked_at: number | null
  readonly principal: KeyPrincipal
}

export interface KeyEntry {
  /** Null if the key does not exist. */
  readonly row: ApiKeyRow | null
  /**
   * When the query began, in milliseconds since 1970. The row includes every change committed
   * before that time.
   */
  readonly readAt: number
}

interface SelectedRow extends Record<string, unknown> {
  readonly key_id: string
  readonly secret_digest: Buffer
  readonly scopes: ApiKeyScope[]
  readonly expires_at: Date | null
  readonly revoked_at: Date | null
  readonly organization_id: string
  readonly rate_limit_points: number | null
  readonly key_rate_limit_points: number | null
}

/** Selects API keys by id. Ids that are missing from the result do not exist. */
export async function selectApiKeys(
  postgres: Queryable,
  keyIds: readonly string[]
): Promise<Map<string, ApiKeyRow>> {
  const rows = await postgres.query<SelectedRow>(
    `select k.key_id, k.secret_digest, k.scopes, k.expires_at, k.revoked_at, k.organization_id,
            k.rate_limit_points as key_rate_limit_points, o.rate_limit_points
       from api_keys k
       join organizations o on o.organization_id = k.organization_id
      where k.key_id = any($1)`,
    [keyIds]
  )
  return new Map(rows.map((row) => [row.key_id, apiKeyOf(row)]))
}

function apiKeyOf(row: SelectedRow): ApiKeyRow {
  const { key_id, organization_id, scopes, rate_limit_points, key_rate_limit_points } = row
  const limits = { rate_limit_points, key_rate_limit_points }
  return {
    secret_digest: row.secret_digest,
    expires_at: row.expires_at?.getTime() ?? null,
    revoked_at: row.revoked_at?.getTime() ?? null,
    principal: { kind: 'api_key', organization_id, key_id, scopes, ...limits }
  }
}
