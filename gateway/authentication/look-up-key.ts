/** Reads API keys from Postgres: each once for all who wait for it, and not too many at a time. */
import type { Clock } from '../../core/clock.ts'
import { Problem } from '../../core/problem.ts'
import type { Queryable } from '../../platform/postgres.ts'
import { selectApiKey } from './select-api-key.ts'
import type { ApiKeyRow } from './select-api-key.ts'

export interface KeyEntry {
  /** Null when there is no such key. */
  readonly row: ApiKeyRow | null
  /** What was committed before this moment is in the row. */
  readonly readAt: number
}

export interface LookUpKey {
  /** Of a key that is not known yet. @throws {Problem} 503 at once while too many are looked up. */
  first(keyId: string): Promise<KeyEntry>
  /** Of a key that is known; those who try unknown keys cannot hold it up. */
  again(keyId: string): Promise<KeyEntry>
  /** What is being read of this key may be old already: it is not kept. */
  outdate(keyId: string): void
}

export interface LookUpKeyDependencies {
  readonly postgres: Queryable
  readonly clock: Clock
  /** Called for each reading, before anybody who waits for it goes on. */
  readonly keep: (keyId: string, entry: KeyEntry) => void
}

/** Unknown keys that are being read. A fleet that starts has as many; a guesser gets no more. */
const firstMax = 200

export function createLookUpKey({ postgres, clock, keep }: LookUpKeyDependencies): LookUpKey {
  const running = new Map<string, Promise<KeyEntry>>()
  let firsts = 0

  async function read(keyId: string, isCurrent: () => boolean): Promise<KeyEntry> {
    const readAt = clock.now()
    const entry = { row: await selectApiKey(postgres, keyId), readAt }
    if (isCurrent()) keep(keyId, entry)
    return entry
  }

  function again(keyId: string): Promise<KeyEntry> {
    const known = running.get(keyId)
    if (known !== undefined) return known
    const isCurrent = (): boolean => running.get(keyId) === reading
    const reading: Promise<KeyEntry> = read(keyId, isCurrent).finally(() => {
      if (isCurrent()) running.delete(keyId)
    })
    running.set(keyId, reading)
    return reading
  }

  return {
    again,
    first: async (keyId) => {
      if (running.has(keyId)) return again(keyId)
      if (firsts >= firstMax) throw tooMany()
      firsts += 1
      try {
        return await again(keyId)
      } finally {
        firsts -= 1
      }
    },
    outdate: (keyId) => void running.delete(keyId)
  }
}

/** Says of any error but a refusal that the key cannot be known now. */
export function unavailable(cause: unknown): Problem {
  if (cause instanceof Problem) return cause
  return new Problem('authentication_unavailable', {
    detail: 'The key is not known to this instance, and the store of keys does not answer.',
    headers: { 'retry-after': '2' },
    cause
  })
}

function tooMany(): Problem {
  return new Problem('authentication_unavailable', {
    detail: 'The key is not known to this instance, and too many such keys are being looked up.',
    headers: { 'retry-after': '1' }
  })
}
