/** Limited key: tracks one key under one limit in this instance and grants points to callers. */
import { Lease } from './lease.ts'
import type { RateLimit, RateLimitState } from './rate-limit.ts'

export interface LimitedKey {
  readonly name: string
  readonly limit: RateLimit
  readonly lease: Lease
  /** Window of this instance, used while Redis is unavailable. */
  readonly local: { given: number; endsAt: number }
  /** Callers that wait for the shared window, in order of arrival. */
  readonly waiting: Waiter[]
  /** Whether a request to the shared window is in progress. There is at most one. */
  isRequesting: boolean
}

interface Waiter {
  readonly points: number
  readonly resolve: (state: RateLimitState) => void
}

export function createLimitedKey(name: string, limit: RateLimit, now: number): LimitedKey {
  const local = { given: 0, endsAt: Number.NEGATIVE_INFINITY }
  return { name, limit, lease: new Lease(now), local, waiting: [], isRequesting: false }
}

/** Checks whether no request is needed: the lease has the points, or the window is exhausted. */
export function isDecided({ lease }: LimitedKey, points: number, now: number): boolean {
  return lease.covers(points, now) || lease.isSpent(now)
}

export function giveFromLease(key: LimitedKey, points: number, now: number): RateLimitState {
  return leaseState(key.lease, key.lease.give(points), now)
}

/**
 * Grants points from the local window. A new local window includes the points already granted from
 * the lease, so that callers do not get the full limit twice during an outage.
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
  lease.giveElsewhere(granted)
  return localState(key, granted, now)
}

/** Checks whether the local window is exhausted. */
export function isSpentLocally({ limit, local }: LimitedKey, now: number): boolean {
  return local.given >= limit.points && now < local.endsAt
}

/** Returns the current state without granting points. */
export function peek(key: LimitedKey, isLocal: boolean, now: number): RateLimitState {
  const { points, windowSeconds } = key.limit
  const isOver = now >= (isLocal ? key.local.endsAt : key.lease.resetsAt)
  // Assumes that no points of the next window have been taken.
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
