/** A bounded map that forgets what was used longest ago. */
import { LRUCache } from 'lru-cache'

export interface Cache<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
  delete(key: string): void
}

export function createCache<Value extends object>(entriesMax: number): Cache<Value> {
  const entries = new LRUCache<string, Value>({ max: entriesMax })
  return {
    get: (key) => entries.get(key),
    set: (key, value) => void entries.set(key, value),
    delete: (key) => void entries.delete(key)
  }
}
