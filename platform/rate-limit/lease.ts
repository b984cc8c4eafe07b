/** A lease: points of one key that this instance took from the shared window and may spend alone.
 *
 * Whatever is read here from the time is an argument, in milliseconds of a clock that never jumps.
 */
import type { RateLimit, RateLimitState } from './rate-limit.ts'

export interface Lease {
  /** Points in hand. They die at `expiresAt`, which is never later than the window's own end. */
  available: number
  expiresAt: number
  /** The latest moment at which the window may end; what callers are told. */
  resetsAt: number
  /** What the shared window held after the last request. */
  left: number
  /** Until then nobody asks again: the window is spent. */
  spentUntil: number
  /** Whether the last request got less than it asked for. */
  isCut: boolean
  /** Points given to callers in this window. */
  given: number
  /** At this level it is time to ask for more; below zero points are only fetched when wanted. */
  low: number
  /** Traffic of late in points per millisecond, and what it is made from. */
  rate: number
  ratedAt: number
  givenSinceRated: number
}

/** An answer of the shared window, and when it was asked for and had. */
export interface Refill extends RateLimitState {
  readonly asked: number
  readonly sentAt: number
  readonly receivedAt: number
}

/** A lease is to last this long: long enough to be rare, short enough to leave little unused. */
const leaseMs = 500
/** One part in so many of what is left is the most that a lease holds beyond what is wanted now. */
const shareOfLeft = 16
/** Smaller leases are not refilled early: a key of little traffic would hoard points. */
const refilledFrom = 8
/** Half of what the rate knows is younger than this. */
const rateHalfLifeMs = 175
/** A spent window is asked again after this long: Redis may have lost it. */
const askAgainMs = 1000

export function createLease(now: number): Lease {
  const never = Number.NEGATIVE_INFINITY
  return {
    ...{ available: 0, expiresAt: never, resetsAt: never, left: 0, spentUntil: never, given: 0 },
    ...{ isCut: false, low: -1, rate: 0, ratedAt: now, givenSinceRated: 0 }
  }
}

export function covers(lease: Lease, points: number, now: number): boolean {
  return points <= lease.available && now < lease.expiresAt
}

/** Gives what there is of `points`. */
export function give(lease: Lease, points: number): number {
  const granted = points <= lease.available ? points : lease.available
  lease.available -= granted
  note(lease, granted)
  return granted
}

/** Counts what callers were given, from the lease or without it. */
export function note(lease: Lease, granted: number): void {
  lease.given += granted
  lease.givenSinceRated += granted
}

/** Puts back what was given in this window and not used. */
export function putBack(lease: Lease, points: number, now: number): void {
  if (now >= lease.expiresAt) return
  const back = Math.min(points, lease.given)
  lease.available += back
  note(lease, -back)
}

/** Whether the window is known to hold no more. */
export function isSpent(lease: Lease, now: number): boolean {
  return now < lease.spentUntil
}

/** Whether nothing is left of the window, unless there is more of it since it was last asked. */
export function isUsedUp(lease: Lease, now: number): boolean {
  return lease.isCut && lease.available === 0 && now < lease.expiresAt
}

/** Drops what is too old to be spent. */
function expire(lease: Lease, now: number): void {
  if (now >= lease.expiresAt) lease.available = 0
}

/**
 * How many points to ask for when callers wait for `wanted`: those, and a block for who comes
 * next.
 */
export function pointsToAsk(lease: Lease, limit: RateLimit, { wanted, now }: Demand): number {
  expire(lease, now)
  measure(lease, now)
  const left = now < lease.expiresAt ? lease.left : limit.points
  const block = Math.min(
    Math.ceil(lease.rate * msToCover(lease, now)),
    Math.floor(left / shareOfLeft)
  )
  lease.low = block < refilledFrom ? -1 : Math.floor(block / 2)
  return Math.max(0, wanted + block - lease.available)
}

/** No longer than the window lasts; and nothing while it may or may not have ended. */
function msToCover(lease: Lease, now: number): number {
  if (now < lease.expiresAt) return Math.min(leaseMs, lease.expiresAt - now)
  return now < lease.resetsAt ? 0 : leaseMs
}

export interface Demand {
  readonly wanted: number
  readonly now: number
}

/**
 * The lease dies as long after the request was sent as the window had left when Redis carried it
 * out, which was later: so never after the window.
 */
export function refill(lease: Lease, limit: RateLimit, answer: Refill): void {
  const expiresAt = answer.sentAt + answer.resetMs
  // Within a window the ends computed differ by a request's time, to the next by a whole window.
  const isSameWindow = expiresAt < lease.expiresAt + limit.windowSeconds * 500
  if (!isSameWindow) {
    lease.available = 0
    lease.given = 0
  }
  lease.available += answer.granted
  lease.expiresAt = expiresAt
  lease.resetsAt = answer.receivedAt + answer.resetMs
  lease.left = answer.remaining
  lease.isCut = answer.granted < answer.asked
  if (!lease.isCut) return
  lease.spentUntil = Math.min(expiresAt, answer.receivedAt + askAgainMs)
  lease.low = -1
}

/** A mean of the points per millisecond, in which the past fades. */
function measure(lease: Lease, now: number): void {
  const elapsed = now - lease.ratedAt
  if (elapsed <= 0) return
  const fresh = 1 - 2 ** (-elapsed / rateHalfLifeMs)
  lease.rate += fresh * (lease.givenSinceRated / elapsed - lease.rate)
  lease.ratedAt = now
  lease.givenSinceRated = 0
}
