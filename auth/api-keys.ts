/** API keys from Postgres, through a cache that keeps known keys working while Postgres is away.
 *
 * An entry is fresh for 3 s and then looked up again in the background, so that a revoked key is
 * refused within 5 s; `forget` makes it at once, when Redis tells of the change. While Postgres
 * does not answer, an entry serves on for 10 minutes and nobody waits; an unknown key is then 503,
 * never 401, since nobody knows. Known and unknown keys are read apart, so that guessing holds up
 * nobody who has a key.
 */
import type { Clock } from '../core/clock.ts'
import { Problem } from '../core/problem.ts'
import type { Metrics } from '../platform/telemetry/metrics.ts'
import type { Queryable } from '../platform/postgres/postgres.ts'
import { createKeyCache, knownMax } from './key-cache.ts'
import type { KnownKey } from './key-cache.ts'
import { createKeyReader } from './key-reader.ts'
import type { KeyReaderDependencies } from './key-reader.ts'
import type { ApiKeyRow } from './select-api-keys.ts'

/**
 * Null when there is no such key; answers at once where that is known.
 * @throws {Problem} 503 when it cannot be known.
 */
export type FindApiKey = (keyId: string) => ApiKeyRow | null | Promise<ApiKeyRow | null>

export interface ApiKeys {
  readonly find: FindApiKey
  /** The key has changed: what is known of it, or being read, is worth nothing any more. */
  forget(keyId: string): void
}

export interface ApiKeysDependencies {
  readonly postgres: Queryable
  readonly metrics: Metrics
  readonly clock: Clock
}

/** Past this age an entry is only served after a look-up, or because the look-up failed. */
const trustedForMs = 4500
const servedWithoutStoreMs = 10 * 60_000
/** After a failed look-up the next one waits, so that an outage is not made worse. */
const retryLookupMs = 1000
/** Unknown keys that may wait. A fleet that starts has as many; a guesser gets no more. */
const unknownWaitingMax = 2000

export function createApiKeys({ postgres, metrics, clock }: ApiKeysDependencies): ApiKeys {
  const cache = createKeyCache()
  const { first, again } = createReaders({ postgres, clock, keep: cache.keep })
  const countHit = metrics.counter('sluice_api_key_lookups_total', { result: 'hit' })
  const count = (result: string): void => metrics.count('sluice_api_key_lookups_total', { result })

  /** Without an answer the old entry serves on, for as long as it may. */
  async function refresh(keyId: string, known: KnownKey): Promise<ApiKeyRow | null> {
    try {
      const { row } = await again.read(keyId)
      count('refreshed')
      return row
    } catch (error) {
      if (cache.known(keyId) !== known || isTooOld(known, clock.now())) return refuse(error, count)
      known.lookUpAfter = clock.now() + retryLookupMs
      count('stale')
      return known.row
    }
  }

  async function meet(keyId: string): Promise<ApiKeyRow | null> {
    count('miss')
    return (await first.read(keyId).catch((error) => refuse(error, count))).row
  }

  function findKnown(keyId: string, known: KnownKey): ReturnType<FindApiKey> {
    const now = clock.now()
    if (isFresh(known, now)) {
      countHit()
      return known.row
    }
    const isWaitingVain = again.isAway() && !isTooOld(known, now)
    const refreshed = refresh(keyId, known)
    if (isWaitingVain) known.lookUpAfter = now + retryLookupMs
    else if (now - known.readAt >= trustedForMs) return refreshed
    refreshed.catch(() => {})
    return known.row
  }

  return {
    find: (keyId) => {
      const known = cache.known(keyId)
      if (known !== undefined) return findKnown(keyId, known)
      if (!cache.isMissing(keyId, clock.now())) return meet(keyId)
      count('unknown')
      return null
    },
    forget: (keyId) => {
      cache.outdate(keyId)
      first.outdate(keyId)
      again.outdate(keyId)
    }
  }
}

/** Of keys that are not known yet, and of those that are. */
function createReaders(shared: Omit<KeyReaderDependencies, 'waitingMax'>) {
  return {
    first: createKeyReader({ ...shared, waitingMax: unknownWaitingMax }),
    again: createKeyReader({ ...shared, waitingMax: knownMax })
  }
}

/** What went wrong, other than a refusal, means that the key cannot be known now. */
function refuse(cause: unknown, count: (result: string) => void): never {
  const isRefusal = cause instanceof Problem
  count(isRefusal ? 'refused' : 'failed')
  if (isRefusal) throw cause
  throw new Problem('authentication_unavailable', {
    detail: 'The key is not known to this instance, and the store of keys does not answer.',
    headers: { 'retry-after': '2' },
    cause
  })
}

function isFresh(known: KnownKey, now: number): boolean {
  return now < known.lookUpAfter && !isTooOld(known, now)
}

function isTooOld({ readAt }: KnownKey, now: number): boolean {
  return now - readAt > servedWithoutStoreMs
}
