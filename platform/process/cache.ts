/** Cache: stores entries in a bounded map and evicts the least recently used. */
import { LRUCache } from 'lru-cache'

export interface Cache<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
  delete(key: string): void
}

interface CacheSize<Value> {
  /** Maximum total size of all entries. An entry larger than this is not stored. */
  readonly max: number
  /** Returns the size of an entry in the unit of `max`; at least 1. */
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
