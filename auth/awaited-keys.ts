/** Tracks pending reads of API keys, both queued and in progress, so that callers that need the
 * same key share a read.
 */
import type { KeyEntry } from './select-api-keys.ts'

export interface AwaitedKey extends PromiseWithResolvers<KeyEntry> {
  readonly key_id: string
}

interface AwaitedKeys {
  /** Returns the promise of a pending read, unless the read is outdated. */
  promiseOf(keyId: string): Promise<KeyEntry> | undefined
  add(keyId: string): Promise<KeyEntry>
  /** Returns the number of queued keys. */
  waiting(): number
  /** Removes up to `max` keys from the queue, oldest first. */
  take(max: number): AwaitedKey[]
  /**
   * Marks a pending read of the key as outdated. Its callers still get the result, but the result
   * must not be cached.
   */
  outdate(keyId: string): void
  /**
   * Resolves the promise of a key with the entry that was read.
   * @returns false if the read is outdated
   */
  settle(awaited: AwaitedKey, entry: KeyEntry): boolean
  /** Rejects the promises of keys that could not be read. */
  drop(awaited: readonly AwaitedKey[], error: unknown): void
}

export function createAwaitedKeys(): AwaitedKeys {
  const pending = new Map<string, AwaitedKey>()
  let waiting: AwaitedKey[] = []

  function end(awaited: AwaitedKey): boolean {
    const isCurrent = pending.get(awaited.key_id) === awaited
    if (isCurrent) pending.delete(awaited.key_id)
    return isCurrent
  }

  return {
    promiseOf: (keyId) => pending.get(keyId)?.promise,
    add: (keyId) => {
      const awaited = { key_id: keyId, ...Promise.withResolvers<KeyEntry>() }
      pending.set(keyId, awaited)
      waiting.push(awaited)
      return awaited.promise
    },
    waiting: () => waiting.length,
    take: (max) => {
      const taken = waiting.slice(0, max)
      waiting = waiting.slice(max)
      return taken
    },
    outdate: (keyId) => void pending.delete(keyId),
    settle: (awaited, entry) => {
      awaited.resolve(entry)
      return end(awaited)
    },
    drop: (awaited, error) => {
      for (const each of awaited) {
        end(each)
        each.reject(error)
      }
    }
  }
}
