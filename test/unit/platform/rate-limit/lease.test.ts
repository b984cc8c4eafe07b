/** Tests how many points a lease requests, when it expires, and what is carried over. */
import { describe, expect, test } from '@jest/globals'
import { Lease } from '../../../../platform/rate-limit/lease.ts'
import type { Refill } from '../../../../platform/rate-limit/lease.ts'

const limit = { points: 10_000, windowSeconds: 60 }

/** Builds the response to a lease request that took 2 ms. The window ends in `resetMs`. */
function answered(members: Partial<Refill> & { sentAt: number }): Refill {
  const { sentAt } = members
  const answer = { requested: 100, granted: 100, remaining: 9000, resetMs: 30_000 }
  return { ...answer, receivedAt: sentAt + 2, ...members }
}

function leased(members: Partial<Refill> = {}): Lease {
  const lease = new Lease(0)
  lease.refill(limit, answered({ sentAt: 1000, ...members }))
  return lease
}

/**
 * Gives out `perSecond` points per second in the two seconds before `until`, so that the lease
 * knows its rate.
 */
function busy(lease: Lease, perSecond: number, until: number): void {
  for (let now = until - 2000; now <= until; now += 50) {
    const points = perSecond / 20
    const members = { requested: points, granted: points, remaining: lease.left }
    lease.refill(limit, answered({ sentAt: 1000, ...members }))
    lease.give(points)
    lease.pointsToRequest(limit, { wanted: 0, now })
  }
}

describe('points given', () => {
  test('are the requested points, or all that are left', () => {
    const lease = leased()
    expect(lease.give(60)).toBe(60)
    expect(lease.covers(41, 2000)).toBe(false)
    expect(lease.give(41)).toBe(40)
    expect(lease.give(1)).toBe(0)
  })

  test('can be put back while the window lasts, up to the number given', () => {
    const lease = leased()
    lease.give(10)
    lease.putBack(4, 2000)
    expect(lease.available).toBe(94)
    lease.putBack(50, 2000)
    expect(lease.available).toBe(100)
    lease.give(10)
    lease.putBack(10, 31_000)
    expect(lease.available).toBe(90)
  })
})

describe('a lease expires', () => {
  test('when its window ends, counted from the time at which its request was sent', () => {
    const lease = leased()
    expect(lease.covers(1, 30_999)).toBe(true)
    expect(lease.covers(1, 31_000)).toBe(false)
    lease.pointsToRequest(limit, { wanted: 1, now: 31_000 })
    expect(lease.available).toBe(0)
  })

  test('when another window begins, however soon', () => {
    const lease = leased()
    lease.refill(limit, answered({ sentAt: 30_990, granted: 5, requested: 5, resetMs: 59_995 }))
    expect(lease).toMatchObject({ available: 5, given: 0, expiresAt: 90_985 })
  })

  test('not when points are added in the same window', () => {
    const lease = leased()
    lease.give(90)
    lease.refill(limit, answered({ sentAt: 5000, resetMs: 26_001 }))
    expect(lease).toMatchObject({ available: 110, given: 90, expiresAt: 31_001 })
  })
})

describe('a lease requests', () => {
  test('the points needed, if the traffic is unknown', () => {
    expect(new Lease(0).pointsToRequest(limit, { wanted: 3, now: 0 })).toBe(3)
    expect(leased().pointsToRequest(limit, { wanted: 103, now: 60_000 })).toBe(103)
  })

  test('points for half a second of traffic, minus those available', () => {
    const lease = leased()
    busy(lease, 400, 5000)
    expect(lease.pointsToRequest(limit, { wanted: 0, now: 5000 })).toBeCloseTo(200 - 100, -1)
    expect(lease.pointsToRequest(limit, { wanted: 150, now: 5000 })).toBeCloseTo(350 - 100, -1)
  })

  test('at most a sixteenth of the points left, and finally only the points needed', () => {
    const lease = leased({ granted: 0, requested: 0, remaining: 320 })
    busy(lease, 4000, 5000)
    expect(lease.pointsToRequest(limit, { wanted: 1, now: 5000 })).toBe(21)
    const none = { requested: 0, granted: 0, remaining: 15 }
    lease.refill(limit, answered({ sentAt: 1000, ...none }))
    expect(lease.pointsToRequest(limit, { wanted: 1, now: 5000 })).toBe(1)
  })

  test('at most the points that can be used before the window ends', () => {
    const lease = leased({ granted: 0, requested: 0 })
    busy(lease, 400, 30_900)
    expect(lease.pointsToRequest(limit, { wanted: 0, now: 30_900 })).toBeCloseTo(40, -1)
    // The end of the window is known to within 2 ms. During these 2 ms, the lease requests no
    // points in advance.
    expect(lease.pointsToRequest(limit, { wanted: 1, now: 31_001 })).toBe(1)
    expect(lease.pointsToRequest(limit, { wanted: 0, now: 31_002 })).toBeGreaterThan(100)
  })

  test('nothing early with little traffic', () => {
    const lease = leased()
    busy(lease, 10, 5000)
    lease.pointsToRequest(limit, { wanted: 0, now: 5000 })
    expect(lease.isLow).toBe(false)
    busy(lease, 400, 9000)
    lease.pointsToRequest(limit, { wanted: 0, now: 9000 })
    lease.give(10)
    expect(lease.isLow).toBe(true)
  })

  test('fewer points after traffic has decreased', () => {
    const lease = leased({ granted: 0, requested: 0 })
    busy(lease, 400, 5000)
    expect(lease.pointsToRequest(limit, { wanted: 0, now: 9000 })).toBeLessThan(5)
  })
})

describe('a window is known to be spent', () => {
  test('for a second, after fewer points were given than requested', () => {
    const lease = leased({ granted: 40, remaining: 0 })
    expect(lease.isSpent(1002)).toBe(true)
    expect(lease.isSpent(2001)).toBe(true)
    expect(lease.isSpent(2002)).toBe(false)
    expect(lease.isLow).toBe(false)
  })

  test('no longer than it lasts', () => {
    const lease = leased({ granted: 0, remaining: 0, resetMs: 300 })
    expect(lease.isSpent(1299)).toBe(true)
    expect(lease.isSpent(1300)).toBe(false)
  })

  test('never, if all points were given', () => {
    expect(leased({ remaining: 0 }).isSpent(1002)).toBe(false)
  })
})
