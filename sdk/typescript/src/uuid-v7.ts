/** Generates UUIDv7 ids (RFC 9562), which sort by creation time.
 *
 * The 12 bits after the version are a counter with a random start below 2048. It counts up within a
 * millisecond and after the clock goes back. When it is exhausted, the timestamp advances by one
 * millisecond, ahead of the clock.
 */
import type { Platform } from './platform.ts'

const pooledBytes = 1024
const bytesOfOne = 10
const counterEnd = 0x1000
const seedMask = 0x7ff

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

type Source = Pick<Platform, 'wallClock' | 'fillRandom'>

export function createUuidV7(source: Source): () => string {
  const pool = new Uint8Array(pooledBytes)
  let used = pooledBytes
  let time = 0
  let counter = 0

  function uuidV7(): string {
    if (used + bytesOfOne > pooledBytes) {
      source.fillRandom(pool)
      used = 0
    }
    const at = used
    used += bytesOfOne
    const now = source.wallClock()
    if (now > time) {
      time = now
      counter = (byteAt(pool, at) * 256 + byteAt(pool, at + 1)) & seedMask
    } else if (++counter === counterEnd) {
      time++
      counter = 0
    }
    return format(time, counter, pool.subarray(at + 2, at + bytesOfOne))
  }
  return uuidV7
}

function format(time: number, counter: number, random: Uint8Array): string {
  const milliseconds = time.toString(16).padStart(12, '0')
  const count = counter.toString(16).padStart(3, '0')
  const variant = hexAt((byteAt(random, 0) & 0x3f) | 0x80) + hexAt(byteAt(random, 1))
  let node = ''
  for (let index = 2; index < 8; index++) node += hexAt(byteAt(random, index))
  return `${milliseconds.slice(0, 8)}-${milliseconds.slice(8)}-7${count}-${variant}-${node}`
}

function byteAt(bytes: Uint8Array, index: number): number {
  return bytes[index] ?? 0
}

function hexAt(byte: number): string {
  return hex[byte] ?? ''
}
