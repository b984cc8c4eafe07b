/** One short hash of what a record consists of: equal when not a byte of it was changed. */
import { hash } from 'node:crypto'
import type { RawRecord } from './read-records.ts'

/** A record without a value counts like one with an empty one: dead letters do not differ in it. */
export function hashRecord({
  key,
  value,
  headers
}: Omit<RawRecord, 'partition' | 'offset'>): string {
  const texts = headers.map(([name, bytes]) => [name, bytes.toString('base64')])
  const parts = [key?.toString('base64') ?? null, value?.toString('base64') ?? '', texts]
  return hash('sha256', JSON.stringify(parts), 'base64url')
}
