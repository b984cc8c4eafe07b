/** Tests that ids sort by creation order even if the clock goes back. */
import { describe, expect, test } from '@jest/globals'
import { createUuidV7 } from '../../../../../sdk/typescript/src/uuid-v7.ts'

function source(times: () => number) {
  return {
    wallClock: times,
    fillRandom: (bytes: Uint8Array) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>)
  }
}

describe('uuid v7', () => {
  test('contains the time, version and variant of RFC 9562', () => {
    const uuidV7 = createUuidV7(source(() => 0x0123456789ab))
    expect(uuidV7()).toMatch(/^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u)
  })

  test('increases within a millisecond, on counter overflow, and when the clock goes back', () => {
    const times = [5000, 5001, 4000, 5001, 5002]
    let index = 0
    const uuidV7 = createUuidV7(source(() => times[Math.min(index++ >> 12, 4)] ?? 0))
    const ids = Array.from({ length: 30_000 }, uuidV7)
    expect(ids).toEqual(ids.toSorted())
    expect(new Set(ids).size).toBe(ids.length)
  })
})
