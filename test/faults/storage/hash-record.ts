/** Hashes the key, value and headers of a record, so that changes are detected. */
import { hash } from 'node:crypto'
import type { RawRecord } from './read-records.ts'

/**
 * Hashes a record. A null value counts as empty, because dead-letter records do not distinguish
 * null from empty.
 */
export function hashRecord({
  key,
  value,
  headers
}: Omit<RawRecord, 'partition' | 'offset'>): string {
  const texts = headers.map(([name, bytes]) => [name, bytes.toString('base64')])
  const parts = [key?.toString('base64') ?? null, value?.toString('base64') ?? '', texts]
  return hash('sha256', JSON.stringify(parts), 'base64url')
}
