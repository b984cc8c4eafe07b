/** Creates ids of configured objects, with a prefix for the kind of object. */
import { uuidv7 } from './ids.ts'

/** Prefixes of evaluators, rules, connections and webhooks. */
export const idPrefixes = ['evl', 'rul', 'con', 'whk'] as const
type IdPrefix = (typeof idPrefixes)[number]

/** Returns the prefix and the 32 hex digits of a UUIDv7, so that ids sort by creation time. */
export function prefixedId(prefix: IdPrefix, timestampMs: number): string {
  return `${prefix}_${uuidv7(timestampMs).replaceAll('-', '')}`
}

export function prefixedIdPattern(prefix: IdPrefix): string {
  return `^${prefix}_[0-9a-f]{32}$`
}
