/** API keys from Postgres, through a cache that keeps known keys working while Postgres is away.
 *
 * An entry is fresh for 3 s and then looked up again in the background, so that a revoked key is
 * refused within 5 s. While Postgres does not answer, an entry serves on for 10 minutes; an unknown
 * key is then 503, never 401, since nobody knows.
 */
import type { Clock } from '../../core/clock.ts'
import { Problem } from '../../core/problem.ts'
import { createCache } from '../../platform/cache.ts'
import type { Metrics } from '../../platform/metrics.ts'
import type { Queryable } from '../../platform/postgres.ts'
import { selectApiKey } from './select-api-key.ts'
import type { ApiKeyRow } from './select-api-key.ts'

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
  const { metrics, clock } = dependencies
  const entries = createCache<Entry>(entriesMax)
  const lookUp = createLookUp(dependencies, (keyId, entry) => entries.set(keyId, entry))
  const countHit = metrics.counter('sluice_api_key_lookups_total', { result: 'hit' })
  const count = (result: string): void => metrics.count('sluice_api_key_lookups_total', { result })

  /** Without an answer the old entry serves on, for as long as it may. */
  async function refresh(keyId: string, known: Entry): Promise<Entry> {
    try {
      const entry = await lookUp(keyId)
      count('refreshed')
      return entry
    } catch (error) {
      if (known.row === null || clock.now() - known.readAt > servedWithoutStoreMs) throw error
      known.lookUpAfter = clock.now() + retryLookupMs
      count('stale')
      return known
    }
  }

  async function find(keyId: string): Promise<Entry> {
    const known = entries.get(keyId)
    const now = clock.now()
    const isServed = known !== undefined && now - known.readAt <= servedWithoutStoreMs
    if (known === undefined || (isServed && now < known.lookUpAfter)) {
      if (known === undefined) count('miss')
      else countHit()
      return known ?? lookUp(keyId)
    }
    const refreshed = refresh(keyId, known)
    if (known.row === null || now - known.readAt >= trustedForMs) return refreshed
    refreshed.catch(() => {})
    return known
  }

  return async function findApiKey(keyId) {
    try {
      return (await find(keyId)).row
    } catch (error) {
      count('failed')
      throw unavailable(error)
    }
  }
}

/** Many requests with one key wait for one query. */
function createLookUp(
  { postgres, clock }: FindApiKeyDependencies,
  keep: (keyId: string, entry: Entry) => void
) {
  const running = new Map<string, Promise<Entry>>()

  async function readEntry(keyId: string): Promise<Entry> {
    const readAt = clock.now()
    const row = await selectApiKey(postgres, keyId)
    const entry = { row, readAt, lookUpAfter: readAt + (row === null ? absentForMs : freshForMs) }
    keep(keyId, entry)
    return entry
  }

  return function lookUp(keyId: string): Promise<Entry> {
    const known = running.get(keyId)
    if (known !== undefined) return known
    const lookup = readEntry(keyId).finally(() => running.delete(keyId))
    running.set(keyId, lookup)
    return lookup
  }
}

function unavailable(cause: unknown): Problem {
  return new Problem('authentication_unavailable', {
    detail: 'The key is not known to this instance, and the store of keys does not answer.',
    headers: { 'retry-after': '2' },
    cause
  })
}
