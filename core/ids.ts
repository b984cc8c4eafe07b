/** Identifiers: UUIDv7 for what is new, UUIDv5 for what must come out the same again. */
import { hash, randomFillSync } from 'node:crypto'

/** Plain 8-4-4-4-12 hex in either case; braces, URNs and other spellings are refused. */
export const uuidPattern =
  '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'
const uuidExpression = new RegExp(uuidPattern)

const randomPoolBytes = 4096
const randomPerIdBytes = 10
const pool = Buffer.alloc(randomPoolBytes)
let poolUsed = randomPoolBytes

export function isUuid(text: string): boolean {
  return uuidExpression.test(text)
}

/**
 * RFC 9562 version 7: 48 bits of milliseconds, then 74 random bits.
 * Randomness is drawn in blocks, because a system call per decision is a measurable share of its
 * cost.
 */
export function uuidv7(timestampMs: number): string {
  if (poolUsed + randomPerIdBytes > randomPoolBytes) {
    randomFillSync(pool)
    poolUsed = 0
  }
  const bytes = Buffer.allocUnsafe(16)
  bytes.writeUIntBE(timestampMs, 0, 6)
  pool.copy(bytes, 6, poolUsed, poolUsed + randomPerIdBytes)
  poolUsed += randomPerIdBytes
  return format(bytes, 7)
}

/** RFC 9562 version 5: the first 16 bytes of SHA-1 over the namespace's bytes and the name. */
export function uuidv5(namespace: string, name: string): string {
  const prefix = Buffer.from(namespace.replaceAll('-', ''), 'hex')
  const digest = hash('sha1', Buffer.concat([prefix, Buffer.from(name, 'utf8')]), 'buffer')
  return format(digest.subarray(0, 16), 5)
}

function format(bytes: Buffer, version: number): string {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | (version << 4)
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = bytes.toString('hex', 0, 16)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20)
  ].join('-')
}
