/** Which decisions are sent when not all are: all of a session, or none of it. */

const words = 2 ** 32

/** The same key is always answered alike, by every SDK. */
export function isSampled(key: string, rate: number): boolean {
  return rate >= 1 || hash(key) / words < rate
}

/** FNV-1a, finished like murmur3, since FNV alone spreads short texts badly. */
function hash(key: string): number {
  let value = 0x811c9dc5
  for (const byte of new TextEncoder().encode(key)) value = Math.imul(value ^ byte, 0x01000193)
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return (value ^ (value >>> 16)) >>> 0
}
