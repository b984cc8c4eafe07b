/** Tests the buffer pool: it reuses buffers of the same size class, and keeps a limited number. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { BufferPool } from '../../../../platform/process/buffer-pool.ts'

const mebibyte = 1024 * 1024

test.each([
  [0, 4096],
  [1, 4096],
  [4096, 4096],
  [4097, 8192],
  [mebibyte, mebibyte],
  [mebibyte + 1, 2 * mebibyte]
])('for %d bytes, a new buffer has %d bytes', (bytes, size) => {
  expect(new BufferPool().take(bytes)).toHaveLength(size)
})

describe('a returned buffer', () => {
  test('is reused for a request of the same size class', () => {
    const pool = new BufferPool()
    const buffer = pool.take(5000)
    pool.give(buffer)
    expect(pool.take(8192)).toBe(buffer)
  })

  test.each([4096, 8193])('is not reused for %d bytes, which need another class', (bytes) => {
    const pool = new BufferPool()
    const buffer = pool.take(5000)
    pool.give(buffer)
    expect(pool.take(bytes)).not.toBe(buffer)
    expect(pool.take(5000)).toBe(buffer)
  })
})

test('a pool keeps at most 32 MiB, of all classes together', () => {
  const pool = new BufferPool()
  const large = Array.from({ length: 9 }, () => pool.take(4 * mebibyte))
  for (const buffer of large) pool.give(buffer)
  expect(reusedOf(pool, large)).toBe(8)
})

test('a full pool drops a buffer of the class that takes most memory', () => {
  const pool = new BufferPool()
  const large = Array.from({ length: 8 }, () => pool.take(4 * mebibyte))
  const small = Array.from({ length: 6 }, () => pool.take(mebibyte))
  for (const buffer of [...large, ...small]) pool.give(buffer)
  expect(reusedOf(pool, small)).toBe(6)
  expect(reusedOf(pool, large)).toBe(6)
})

test('a buffer above 8 MiB is not kept', () => {
  const pool = new BufferPool()
  const buffer = pool.take(8 * mebibyte + 1)
  pool.give(buffer)
  expect(pool.take(16 * mebibyte)).not.toBe(buffer)
})

/** Takes as many buffers as were given, and returns how many of them are reused. */
function reusedOf(pool: BufferPool, given: readonly Buffer[]): number {
  const known = new Set(given)
  return given.filter(({ length }) => known.has(pool.take(length))).length
}

test('a buffer in use is never given to another caller', () => {
  const commands = fc.array(fc.record({ isTake: fc.boolean(), pick: fc.nat(20_000) }), {
    maxLength: 200
  })
  const property = fc.property(commands, (list) => {
    const pool = new BufferPool()
    const inUse: Buffer[] = []
    for (const { isTake, pick } of list) {
      if (!isTake) inUse.splice(pick % (inUse.length || 1), 1).forEach((one) => pool.give(one))
      else {
        const buffer = pool.take(pick + 1)
        expect(buffer.length).toBeGreaterThan(pick)
        expect(inUse).not.toContain(buffer)
        inUse.push(buffer)
      }
    }
  })
  fc.assert(property)
})
