/** A bounded map that forgets what was used longest ago. */
import { LRUCache } from 'lru-cache'

export interface Cache<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
  delete(key: string): void
}

export interface CacheSize<Value> {
  /** Of all entries together; one that is larger alone is not kept. */
  readonly max: number
  /** At least 1, in the unit of `max`. */
  readonly of: (value: Value) => number
}

export function createCache<Value extends object>(
  entriesMax: number,
  size?: CacheSize<Value>
): Cache<Value> {
  const sized = size === undefined ? {} : { maxSize: size.max, sizeCalculation: size.of }
  const entries = new LRUCache<string, Value>({ max: entriesMax, ...sized })
  return {
    get: (key) => entries.get(key),
    set: (key, value) => void entries.set(key, value),
    delete: (key) => void entries.delete(key)
  }
}
