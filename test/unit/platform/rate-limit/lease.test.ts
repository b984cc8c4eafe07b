/** The arithmetic of a lease: how much it asks for, when it dies, what carries over. */
import { describe, expect, test } from '@jest/globals'
import {
  covers,
  createLease,
  give,
  isSpent,
  pointsToAsk,
  putBack,
  refill
} from '../../../../platform/rate-limit/lease.ts'
import type { Lease, Refill } from '../../../../platform/rate-limit/lease.ts'

const limit = { points: 10_000, windowSeconds: 60 }

/** An answer that took 2 ms; the window has `resetMs` left. */
function answered(members: Partial<Refill> & { sentAt: number }): Refill {
  const { sentAt } = members
  const answer = { asked: 100, granted: 100, remaining: 9000, resetMs: 30_000 }
  return { ...answer, receivedAt: sentAt + 2, ...members }
}

function leased(members: Partial<Refill> = {}): Lease {
  const lease = createLease(0)
  refill(lease, limit, answered({ sentAt: 1000, ...members }))
  return lease
}

/** Gives `perSecond` points for two seconds, so that the rate is known, and ends at `until`. */
function busy(lease: Lease, perSecond: number, until: number): void {
  for (let now = until - 2000; now <= until; now += 50) {
    lease.available += perSecond / 20
    give(lease, perSecond / 20)
    pointsToAsk(lease, limit, { wanted: 0, now })
  }
}

describe('what is given', () => {
  test('is what is asked for, and at the end what there is', () => {
    const lease = leased()
    expect(give(lease, 60)).toBe(60)
    expect(covers(lease, 41, 2000)).toBe(false)
    expect(give(lease, 41)).toBe(40)
    expect(give(lease, 1)).toBe(0)
  })

  test('can be put back while the window lasts, and no more than was given', () => {
    const lease = leased()
    give(lease, 10)
    putBack(lease, 4, 2000)
    expect(lease.available).toBe(94)
    putBack(lease, 50, 2000)
    expect(lease.available).toBe(100)
    give(lease, 10)
    putBack(lease, 10, 31_000)
    expect(lease.available).toBe(90)
  })
})

describe('a lease dies', () => {
  test('as long after its request was sent as the window had left', () => {
    const lease = leased()
    expect(covers(lease, 1, 30_999)).toBe(true)
    expect(covers(lease, 1, 31_000)).toBe(false)
    pointsToAsk(lease, limit, { wanted: 1, now: 31_000 })
    expect(lease.available).toBe(0)
  })

  test('when its window was followed by another, however soon', () => {
    const lease = leased()
    refill(lease, limit, answered({ sentAt: 30_990, granted: 5, asked: 5, resetMs: 59_995 }))
    expect(lease).toMatchObject({ available: 5, given: 0, expiresAt: 90_985 })
  })

  test('not when more is added in the same window', () => {
    const lease = leased()
    give(lease, 90)
    refill(lease, limit, answered({ sentAt: 5000, resetMs: 26_001 }))
    expect(lease).toMatchObject({ available: 110, given: 90, expiresAt: 31_001 })
  })
})

describe('a lease asks for', () => {
  test('what is wanted, as long as there is no traffic to go by', () => {
    expect(pointsToAsk(createLease(0), limit, { wanted: 3, now: 0 })).toBe(3)
    expect(pointsToAsk(leased(), limit, { wanted: 103, now: 60_000 })).toBe(103)
  })

  test('half a second of traffic, less what it has', () => {
    const lease = leased()
    busy(lease, 400, 5000)
    expect(pointsToAsk(lease, limit, { wanted: 0, now: 5000 })).toBeCloseTo(200 - 100, -1)
    expect(pointsToAsk(lease, limit, { wanted: 150, now: 5000 })).toBeCloseTo(350 - 100, -1)
  })

  test('no more than a sixteenth of what is left, and at the end only what is wanted', () => {
    const lease = leased({ granted: 0, asked: 0, remaining: 320 })
    busy(lease, 4000, 5000)
    expect(pointsToAsk(lease, limit, { wanted: 1, now: 5000 })).toBe(21)
    lease.left = 15
    expect(pointsToAsk(lease, limit, { wanted: 1, now: 5000 })).toBe(1)
  })

  test('no more than the rest of the window can use', () => {
    const lease = leased({ granted: 0, asked: 0 })
    busy(lease, 400, 30_900)
    expect(pointsToAsk(lease, limit, { wanted: 0, now: 30_900 })).toBeCloseTo(40, -1)
    // Its end is known to 2 ms: within them nothing is kept for later.
    expect(pointsToAsk(lease, limit, { wanted: 1, now: 31_001 })).toBe(1)
    expect(pointsToAsk(lease, limit, { wanted: 0, now: 31_002 })).toBeGreaterThan(100)
  })

  test('nothing early where there is little traffic', () => {
    const lease = leased()
    busy(lease, 10, 5000)
    pointsToAsk(lease, limit, { wanted: 0, now: 5000 })
    expect(lease.low).toBe(-1)
    busy(lease, 400, 9000)
    pointsToAsk(lease, limit, { wanted: 0, now: 9000 })
    expect(lease.low).toBeGreaterThan(90)
  })

  test('less, when the traffic has become less', () => {
    const lease = leased({ granted: 0, asked: 0 })
    busy(lease, 400, 5000)
    expect(pointsToAsk(lease, limit, { wanted: 0, now: 9000 })).toBeLessThan(5)
  })
})

describe('a window is known to be spent', () => {
  test('for a second, once less was given than was asked for', () => {
    const lease = leased({ granted: 40, remaining: 0 })
    expect(isSpent(lease, 1002)).toBe(true)
    expect(isSpent(lease, 2001)).toBe(true)
    expect(isSpent(lease, 2002)).toBe(false)
    expect(lease.low).toBe(-1)
  })

  test('no longer than it lasts', () => {
    const lease = leased({ granted: 0, remaining: 0, resetMs: 300 })
    expect(isSpent(lease, 1299)).toBe(true)
    expect(isSpent(lease, 1300)).toBe(false)
  })

  test('never, when all was given', () => {
    expect(isSpent(leased({ remaining: 0 }), 1002)).toBe(false)
  })
})
