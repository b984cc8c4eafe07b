/** Tests how the result of an attempt changes a delivery. */
import { describe, expect, test } from '@jest/globals'
import {
  attemptsMax,
  deliveryResultOf
} from '../../../../../consumers/evaluation/webhooks/delivery.ts'

const dayMs = 86_400_000
const first = { attempts: 1, expires_in_ms: dayMs }
const failed = { outcome: 'failed', retryAfterMs: null } as const
const almostOne = 0.999_999

test.each([
  [{ outcome: 'delivered', retryAfterMs: null }, { kind: 'delivered' }],
  [
    { outcome: 'gone', retryAfterMs: null },
    { kind: 'failed', disabledReason: 'gone' }
  ],
  [
    { outcome: 'refused', retryAfterMs: null },
    { kind: 'failed', disabledReason: null }
  ]
] as const)('%p', (answer, result) => {
  expect(deliveryResultOf(first, answer, 0)).toEqual(result)
})

describe('a failed attempt', () => {
  test('is retried after a delay that grows up to an hour', () => {
    const waits = Array.from({ length: attemptsMax - 1 }, (_, index) =>
      deliveryResultOf({ attempts: index + 1, expires_in_ms: dayMs }, failed, almostOne)
    )
    const seconds = waits.map((result) =>
      result.kind === 'retry' ? Math.round(result.waitMs / 1000) : result.kind
    )
    expect(seconds.slice(0, 6)).toEqual([5, 20, 80, 320, 1280, 3600])
    expect(new Set(seconds.slice(6))).toEqual(new Set([3600]))
  })

  test('may be retried at once, which spreads the load of receivers', () => {
    expect(deliveryResultOf(first, failed, 0)).toEqual({ kind: 'retry', waitMs: 0 })
  })

  test('waits at least as long as the receiver asks', () => {
    const result = deliveryResultOf(first, { ...failed, retryAfterMs: 70_000 }, 0)
    expect(result).toEqual({ kind: 'retry', waitMs: 70_000 })
  })

  test('is the last one at the attempt limit, or if the next would be too late', () => {
    const isOver = { kind: 'failed', disabledReason: null }
    expect(deliveryResultOf({ ...first, attempts: attemptsMax }, failed, 0)).toEqual(isOver)
    expect(deliveryResultOf(first, { ...failed, retryAfterMs: dayMs }, 0)).toEqual(isOver)
  })
})
