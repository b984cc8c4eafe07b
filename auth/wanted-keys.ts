/** The keys that are asked for: those that wait to be read, those being read, and who waits. */
import type { KeyEntry } from './select-api-keys.ts'

export interface WantedKey extends PromiseWithResolvers<KeyEntry> {
  readonly key_id: string
}

export interface WantedKeys {
  /** Of the reading to come that can be waited for, if there is one. */
  promiseOf(keyId: string): Promise<KeyEntry> | undefined
  add(keyId: string): Promise<KeyEntry>
  /** How many wait to be read. */
  waiting(): number
  /** Begins to read up to `max` of them, the oldest first. */
  take(max: number): WantedKey[]
  /** No reading of this key counts but one that begins from now on. */
  outdate(keyId: string): void
  /** It was read. @returns whether that counts. */
  settle(wanted: WantedKey, entry: KeyEntry): boolean
  /** It will not be read. */
  drop(wanted: readonly WantedKey[], error: unknown): void
}

export function createWantedKeys(): WantedKeys {
  const pending = new Map<string, WantedKey>()
  let waiting: WantedKey[] = []

  function end(wanted: WantedKey): boolean {
    const isCurrent = pending.get(wanted.key_id) === wanted
    if (isCurrent) pending.delete(wanted.key_id)
    return isCurrent
  }

  return {
    promiseOf: (keyId) => pending.get(keyId)?.promise,
    add: (keyId) => {
      const wanted = { key_id: keyId, ...Promise.withResolvers<KeyEntry>() }
      pending.set(keyId, wanted)
      waiting.push(wanted)
      return wanted.promise
    },
    waiting: () => waiting.length,
    take: (max) => {
      const taken = waiting.slice(0, max)
      waiting = waiting.slice(max)
      return taken
    },
    outdate: (keyId) => void pending.delete(keyId),
    settle: (wanted, entry) => {
      wanted.resolve(entry)
      return end(wanted)
    },
    drop: (wanted, error) => {
      for (const each of wanted) {
        end(each)
        each.reject(error)
      }
    }
  }
}
