/** What follows from the answer of a receiver. */
import { describe, expect, test } from '@jest/globals'
import { attemptsMax, verdictOn } from '../../../../../consumers/evaluation/webhooks/delivery.ts'

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
] as const)('%p', (answer, verdict) => {
  expect(verdictOn(first, answer, 0)).toEqual(verdict)
})

describe('an attempt that failed', () => {
  test('is followed by another one, in a while that grows up to an hour', () => {
    const waits = Array.from({ length: attemptsMax - 1 }, (_, index) =>
      verdictOn({ attempts: index + 1, expires_in_ms: dayMs }, failed, almostOne)
    )
    const seconds = waits.map((verdict) =>
      verdict.kind === 'retry' ? Math.round(verdict.waitMs / 1000) : verdict.kind
    )
    expect(seconds.slice(0, 6)).toEqual([5, 20, 80, 320, 1280, 3600])
    expect(new Set(seconds.slice(6))).toEqual(new Set([3600]))
  })

  test('may be followed at once, so that receivers are not stormed all together', () => {
    expect(verdictOn(first, failed, 0)).toEqual({ kind: 'retry', waitMs: 0 })
  })

  test('waits at least as long as the receiver wants', () => {
    const verdict = verdictOn(first, { ...failed, retryAfterMs: 70_000 }, 0)
    expect(verdict).toEqual({ kind: 'retry', waitMs: 70_000 })
  })

  test('is the last one when there were enough, or when its time would be over', () => {
    const isOver = { kind: 'failed', disabledReason: null }
    expect(verdictOn({ ...first, attempts: attemptsMax }, failed, 0)).toEqual(isOver)
    expect(verdictOn(first, { ...failed, retryAfterMs: dayMs }, 0)).toEqual(isOver)
  })
})
