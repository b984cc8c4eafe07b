/** Sampling: decides which decisions are sent; a session is sent whole or not at all. */

const words = 2 ** 32

/** Returns the same result for the same key in every SDK. */
export function isSampled(key: string, rate: number): boolean {
  return rate >= 1 || hash(key) / words < rate
}

/** FNV-1a with the finalizer of murmur3, because FNV-1a alone distributes short texts poorly. */
function hash(key: string): number {
  let value = 0x811c9dc5
  for (const byte of new TextEncoder().encode(key)) value = Math.imul(value ^ byte, 0x01000193)
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return (value ^ (value >>> 16)) >>> 0
}
