/** Ids of what an organization configures: they say what they are the id of. */
import { uuidv7 } from './ids.ts'

/** Of an evaluator, a rule, a connection, a webhook. */
export type IdPrefix = 'evl' | 'rul' | 'con' | 'whk'

/** The prefix and the 32 digits of a UUIDv7, so that ids sort by when they were made. */
export function prefixedId(prefix: IdPrefix, timestampMs: number): string {
  return `${prefix}_${uuidv7(timestampMs).replaceAll('-', '')}`
}

export function prefixedIdPattern(prefix: IdPrefix): string {
  return `^${prefix}_[0-9a-f]{32}$`
}
