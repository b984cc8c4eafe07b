/** What is known of API keys. Keys that do not exist have a cache of their own: trying many cannot
 *  push out those that do. */
import { createCache } from '../platform/process/cache.ts'
import type { KeyEntry } from './select-api-keys.ts'

/** A key that exists. */
export interface KnownKey extends KeyEntry {
  lookUpAfter: number
}

export interface KeyCache {
  known(keyId: string): KnownKey | undefined
  isMissing(keyId: string, now: number): boolean
  keep(keyId: string, entry: KeyEntry): void
  /** That it exists stays known, and with it that reading it again comes first; nothing else. */
  outdate(keyId: string): void
}

export const knownMax = 100_000
const missingMax = 10_000
const freshForMs = 3000
/** A key that was just made is found soon although somebody tried it a moment before. */
const missingForMs = 1000
const never = { readAt: -Infinity, lookUpAfter: -Infinity }

export function createKeyCache(): KeyCache {
  const known = createCache<KnownKey>(knownMax)
  const missing = createCache<KeyEntry>(missingMax)

  return {
    known: (keyId) => known.get(keyId),
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
