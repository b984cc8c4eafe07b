/** What an instance knows of one key under one limit, and what it gives from that. */
import { covers, createLease, give, isSpent, note } from './lease.ts'
import type { Lease } from './lease.ts'
import type { RateLimit, RateLimitState } from './rate-limit.ts'

export interface LimitedKey {
  readonly name: string
  readonly limit: RateLimit
  readonly lease: Lease
  /** The window of this instance alone, for while Redis does not answer. */
  readonly local: { given: number; endsAt: number }
  /** Who waits for the shared window, first come first served. */
  readonly waiting: Waiter[]
  /** Whether a request to the shared window is running; there is at most one. */
  isAsking: boolean
}

export interface Waiter {
  readonly points: number
  readonly resolve: (state: RateLimitState) => void
}

export function createLimitedKey(name: string, limit: RateLimit, now: number): LimitedKey {
  const local = { given: 0, endsAt: Number.NEGATIVE_INFINITY }
  return { name, limit, lease: createLease(now), local, waiting: [], isAsking: false }
}

/** Whether the lease has the last word: it has the points, or nobody has any more. */
export function isDecided({ lease }: LimitedKey, points: number, now: number): boolean {
  return covers(lease, points, now) || isSpent(lease, now)
}

export function giveFromLease(key: LimitedKey, points: number, now: number): RateLimitState {
  return leaseState(key.lease, give(key.lease, points), now)
}

/**
 * Gives from the window of this instance. A new one goes on where the lease was left, so that an
 * outage is no second helping for who has had the whole limit from this very instance.
 */
export function giveLocally(key: LimitedKey, points: number, now: number): RateLimitState {
  const { lease, limit, local } = key
  const isLeased = now < lease.expiresAt
  if (now >= local.endsAt) {
    local.given = isLeased ? lease.given : 0
    local.endsAt = isLeased ? lease.expiresAt : now + limit.windowSeconds * 1000
  }
  const granted = Math.min(points, Math.max(0, limit.points - local.given))
  local.given += granted
  lease.available = Math.max(0, lease.available - granted)
  note(lease, granted)
  return localState(key, granted, now)
}

/** Whether the window of this instance has nothing left. */
export function isSpentLocally({ limit, local }: LimitedKey, now: number): boolean {
  return local.given >= limit.points && now < local.endsAt
}

/** How things stand, with nothing given. */
export function look(key: LimitedKey, isLocal: boolean, now: number): RateLimitState {
  const { points, windowSeconds } = key.limit
  const isOver = now >= (isLocal ? key.local.endsAt : key.lease.resetsAt)
  // Of the next window nothing is known but that it is whole.
  if (isOver) return { granted: 0, remaining: points, resetMs: windowSeconds * 1000 }
  return isLocal ? localState(key, 0, now) : leaseState(key.lease, 0, now)
}

export function putBackLocally({ local }: LimitedKey, points: number): void {
  local.given = Math.max(0, local.given - points)
}

function leaseState(lease: Lease, granted: number, now: number): RateLimitState {
  const { left, available, resetsAt } = lease
  return { granted, remaining: left + available, resetMs: Math.max(0, resetsAt - now) }
}

function localState({ limit, local }: LimitedKey, granted: number, now: number): RateLimitState {
  const remaining = Math.max(0, limit.points - local.given)
  return { granted, remaining, resetMs: Math.max(0, local.endsAt - now) }
}
