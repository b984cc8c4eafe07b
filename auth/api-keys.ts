/** Looks up API keys in Postgres, with a cache that keeps known keys working while Postgres is
 * unavailable.
 *
 * A cached key is fresh for 3 s. After that, it is looked up again: in the background, or, once it
 * is 4.5 s old, before it is served. A revoked key is therefore rejected within 5 s. `forget`
 * invalidates a key immediately when Redis reports a change. While Postgres is unavailable, cached
 * keys are served for up to 10 minutes. Other keys then get 503 instead of 401, because they may
 * exist. Known and unknown keys have separate readers, so that guessing does not delay valid
 * callers.
 */
import type { Clock } from '../core/clock.ts'
import { Problem } from '../core/problem.ts'
import type { Metrics } from '../platform/telemetry/metrics.ts'
import type { Queryable } from '../platform/postgres/postgres.ts'
import { createKeyCache, cachedKeysMax } from './key-cache.ts'
import type { CachedKey } from './key-cache.ts'
import { createKeyReader } from './key-reader.ts'
import type { KeyReaderDependencies } from './key-reader.ts'
import type { ApiKeyRow } from './select-api-keys.ts'

/**
 * Returns a key, or null if it does not exist. Returns a plain value instead of a promise if the
 * cache can answer.
 * @throws {Problem} 503 if the cache cannot answer, and Postgres is unavailable or too many lookups
 * are waiting
 */
export type FindApiKey = (keyId: string) => ApiKeyRow | null | Promise<ApiKeyRow | null>

export interface ApiKeys {
  readonly find: FindApiKey
  /** Invalidates a changed key: discards its cached entry and the results of reads in progress. */
  forget(keyId: string): void
}

interface ApiKeysDependencies {
  readonly postgres: Queryable
  readonly metrics: Metrics
  readonly clock: Clock
}

/**
 * While Postgres is available, an entry of at least this age in milliseconds is looked up again
 * before it is served.
 */
const trustedForMs = 4500
const servedWithoutPostgresMs = 10 * 60_000
/**
 * Delay in milliseconds before a failed lookup is retried, so that retries do not make an outage
 * worse.
 */
const retryLookupMs = 1000
/**
 * Maximum number of unknown keys that wait for a lookup: enough for a fleet to start, but few
 * enough to limit guessing.
 */
const unknownWaitingMax = 2000

export function createApiKeys({ postgres, metrics, clock }: ApiKeysDependencies): ApiKeys {
  const cache = createKeyCache()
  const { unknownKeys, cachedKeys } = createReaders({ postgres, clock, keep: cache.keep })
  const countHit = metrics.counter('sluice_api_key_lookups_total', { result: 'hit' })
  const count = (result: string): void => metrics.count('sluice_api_key_lookups_total', { result })

  /**
   * Looks up a cached key again. If that fails, falls back to the cached entry, unless the entry is
   * too old or was invalidated.
   */
  async function refresh(keyId: string, known: CachedKey): Promise<ApiKeyRow | null> {
    try {
      const { row } = await cachedKeys.read(keyId)
      count('refreshed')
      return row
    } catch (error) {
      if (cache.get(keyId) !== known || isTooOld(known, clock.now())) return fail(error, count)
      known.lookUpAfter = clock.now() + retryLookupMs
      count('stale')
      return known.row
    }
  }

  async function findUnknown(keyId: string): Promise<ApiKeyRow | null> {
    count('miss')
    return (await unknownKeys.read(keyId).catch((error) => fail(error, count))).row
  }

  function findCached(keyId: string, known: CachedKey): ReturnType<FindApiKey> {
    const now = clock.now()
    if (isFresh(known, now)) {
      countHit()
      return known.row
    }
    const isOutage = cachedKeys.isUnavailable() && !isTooOld(known, now)
    const refreshed = refresh(keyId, known)
    if (isOutage) known.lookUpAfter = now + retryLookupMs
    else if (now - known.readAt >= trustedForMs) return refreshed
    refreshed.catch(() => {})
    return known.row
  }

  return {
    find: (keyId) => {
      const known = cache.get(keyId)
      if (known !== undefined) return findCached(keyId, known)
      if (!cache.isMissing(keyId, clock.now())) return findUnknown(keyId)
      count('unknown')
      return null
    },
    forget: (keyId) => {
      cache.outdate(keyId)
      unknownKeys.outdate(keyId)
      cachedKeys.outdate(keyId)
    }
  }
}

function createReaders(shared: Omit<KeyReaderDependencies, 'waitingMax'>) {
  return {
    unknownKeys: createKeyReader({ ...shared, waitingMax: unknownWaitingMax }),
    cachedKeys: createKeyReader({ ...shared, waitingMax: cachedKeysMax })
  }
}

/**
 * Rethrows a `Problem`. Converts any other error to a 503, because it only means that the key
 * cannot be verified now.
 */
function fail(cause: unknown, count: (result: string) => void): never {
  const isProblem = cause instanceof Problem
  count(isProblem ? 'refused' : 'failed')
  if (isProblem) throw cause
  throw new Problem('authentication_unavailable', {
    detail:
      'This instance has not cached the API key, and the key database does not answer. Retry ' +
      'shortly.',
    headers: { 'retry-after': '2' },
    cause
  })
}

function isFresh(known: CachedKey, now: number): boolean {
  return now < known.lookUpAfter && !isTooOld(known, now)
}

function isTooOld({ readAt }: CachedKey, now: number): boolean {
  return now - readAt > servedWithoutPostgresMs
}
