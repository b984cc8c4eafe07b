/** Tests backoff pauses and the parsing of Retry-After. */
import { describe, expect, test } from '@jest/globals'
import { backoffMs, readRetryAfter } from '../../../../../sdk/typescript/src/backoff.ts'

const limits = { retryBaseMs: 250, retryCapMs: 30_000 }

describe('backoff', () => {
  test.each([
    [1, 0, 0],
    [1, 1, 250],
    [2, 1, 500],
    [5, 0.5, 2000],
    [8, 1, 30_000],
    [2000, 1, 30_000]
  ])('failure %i, random %d: pauses for %d ms', (failures, chance, pause) => {
    expect(backoffMs(failures, limits, () => chance)).toBe(pause)
  })
})

describe('Retry-After', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  test.each([
    ['3', 3000],
    [' 3 ', 3000],
    ['0', 0],
    ['99999999999', 300_000],
    ['Thu, 01 Jan 2026 00:00:10 GMT', 10_000],
    ['Thu, 01 Jan 2026 09:00:00 GMT', 300_000],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
    [undefined, 0],
    ['', 0],
    ['-5', 0],
    ['1.5', 0],
    ['1e9', 0],
    ['soon', 0]
  ])('%p is %d ms', (header, wait) => {
    expect(readRetryAfter(header, now)).toBe(wait)
  })
})
