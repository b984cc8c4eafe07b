/** Caches API keys. Ids that do not exist are cached separately, so that guessing does not evict
 * valid keys.
 */
import { createCache } from '../platform/process/cache.ts'
import type { KeyEntry } from './select-api-keys.ts'

/** Cache entry for a key that exists. */
export interface CachedKey extends KeyEntry {
  lookUpAfter: number
}

interface KeyCache {
  get(keyId: string): CachedKey | undefined
  isMissing(keyId: string, now: number): boolean
  keep(keyId: string, entry: KeyEntry): void
  /**
   * Invalidates the entry of a key. The key still counts as known, so its next lookup does not
   * queue with unknown keys.
   */
  outdate(keyId: string): void
}

export const cachedKeysMax = 100_000
const missingMax = 10_000
const freshForMs = 3000
/**
 * How long a missing key is cached, in milliseconds. It is short, so that a new key works soon even
 * if a caller tried it before it existed.
 */
const missingForMs = 1000
const never = { readAt: -Infinity, lookUpAfter: -Infinity }

export function createKeyCache(): KeyCache {
  const known = createCache<CachedKey>(cachedKeysMax)
  const missing = createCache<KeyEntry>(missingMax)

  return {
    get: (keyId) => known.get(keyId),
    isMissing: (keyId, now) => {
      const entry = missing.get(keyId)
      return entry !== undefined && now - entry.readAt < missingForMs
    },
    keep: (keyId, entry) => {
      known.delete(keyId)
      missing.delete(keyId)
      if (entry.row === null) missing.set(keyId, entry)
      else known.set(keyId, { ...entry, lookUpAfter: entry.readAt + freshForMs })
    },
    outdate: (keyId) => {
      const entry = known.get(keyId)
      if (entry !== undefined) known.set(keyId, { ...entry, ...never })
      missing.delete(keyId)
    }
  }
}
