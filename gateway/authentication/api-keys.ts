/** API keys from Postgres, through a cache that keeps known keys working while Postgres is away.
 *
 * An entry is fresh for 3 s and then looked up again in the background, so that a revoked key is
 * refused within 5 s. While Postgres does not answer, an entry serves on for 10 minutes; an unknown
 * key is then 503, never 401, since nobody knows.
 */
import type { ApiKeyScope } from '../../core/api-key.ts'
import type { Clock } from '../../core/clock.ts'
import { Problem } from '../../core/problem.ts'
import { createCache } from '../../platform/cache.ts'
import type { Metrics } from '../../platform/metrics.ts'
import type { Queryable } from '../../platform/postgres.ts'
import type { KeyPrincipal } from '../call.ts'

export interface ApiKeyRow {
  readonly secret_digest: Buffer
  readonly scopes: readonly ApiKeyScope[]
  /** Milliseconds since 1970, or null for never. */
  readonly expires_at: number | null
  readonly revoked_at: number | null
  readonly principal: KeyPrincipal
}

/** Null when there is no such key. @throws {Problem} 503 when that cannot be known. */
export type FindApiKey = (keyId: string) => Promise<ApiKeyRow | null>

export interface FindApiKeyDependencies {
  readonly postgres: Queryable
  readonly metrics: Metrics
  readonly clock: Clock
}

const entriesMax = 100_000
const freshForMs = 3000
/** Past this age an entry is only served after a look-up, or because the look-up failed. */
const trustedForMs = 4500
/** A key that was just made is found soon although somebody tried it a moment before. */
const absentForMs = 1000
const servedWithoutStoreMs = 10 * 60_000
/** After a failed look-up the next one waits, so that an outage is not made worse. */
const retryLookupMs = 1000

interface Entry {
  readonly row: ApiKeyRow | null
  readonly readAt: number
  lookUpAfter: number
}

export function createFindApiKey(dependencies: FindApiKeyDependencies): FindApiKey {
  const { postgres, metrics, clock } = dependencies
  const entries = createCache<Entry>(entriesMax)
  const lookups = new Map<string, Promise<Entry>>()

  function count(result: string): void {
    metrics.count('sluice_api_key_lookups_total', { result })
  }

  /** Many requests with one key wait for one query. */
  function lookUp(keyId: string): Promise<Entry> {
    const running = lookups.get(keyId)
    if (running !== undefined) return running
    const lookup = readEntry(postgres, keyId, clock).finally(() => lookups.delete(keyId))
    lookups.set(keyId, lookup)
    return lookup.then((entry) => {
      entries.set(keyId, entry)
      return entry
    })
  }

  /** Without an answer the old entry serves on, for as long as it may. */
  async function refresh(keyId: string, known: Entry): Promise<Entry> {
    try {
      const entry = await lookUp(keyId)
      count('refreshed')
      return entry
    } catch (error) {
      known.lookUpAfter = clock.now() + retryLookupMs
      if (known.row === null || clock.now() - known.readAt > servedWithoutStoreMs) throw error
      count('stale')
      return known
    }
  }

  async function find(keyId: string): Promise<Entry> {
    const known = entries.get(keyId)
    if (known === undefined) {
      count('miss')
      return lookUp(keyId)
    }
    const now = clock.now()
    if (now < known.lookUpAfter) {
      count('hit')
      return known
    }
    const refreshed = refresh(keyId, known)
    const isTrusted = known.row !== null && now - known.readAt < trustedForMs
    if (!isTrusted) return refreshed
    refreshed.catch(() => {})
    return known
  }

  return async function findApiKey(keyId) {
    try {
      return (await find(keyId)).row
    } catch (error) {
      count('failed')
      throw new Problem('authentication_unavailable', {
        detail: 'The key is not known to this instance, and the store of keys does not answer.',
        headers: { 'retry-after': '2' },
        cause: error
      })
    }
  }
}

async function readEntry(postgres: Queryable, keyId: string, clock: Clock): Promise<Entry> {
  const readAt = clock.now()
  const row = await selectApiKey(postgres, keyId)
  return { row, readAt, lookUpAfter: readAt + (row === null ? absentForMs : freshForMs) }
}

async function selectApiKey(postgres: Queryable, keyId: string): Promise<ApiKeyRow | null> {
  const rows = await postgres.query<{
    secret_digest: Buffer
    scopes: ApiKeyScope[]
    expires_at: Date | null
    revoked_at: Date | null
    organization_id: string
    rate_limit_points: number | null
  }>(
    `select k.secret_digest, k.scopes, k.expires_at, k.revoked_at, k.organization_id,
            o.rate_limit_points
       from api_keys k
       join organizations o on o.organization_id = k.organization_id
      where k.key_id = $1`,
    [keyId]
  )
  const row = rows[0]
  if (row === undefined) return null
  const { organization_id, scopes, rate_limit_points } = row
  return {
    secret_digest: row.secret_digest,
    scopes,
    expires_at: row.expires_at?.getTime() ?? null,
    revoked_at: row.revoked_at?.getTime() ?? null,
    principal: { kind: 'api_key', organization_id, key_id: keyId, scopes, rate_limit_points }
  }
}
