/** Refills leases from the shared windows, with at most one request per key at a time. */
import type { Refill } from './lease.ts'
import { giveFromLease, giveLocally, isDecided } from './limited-key.ts'
import type { LimitedKey } from './limited-key.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { SharedWindows } from '../redis/shared-windows.ts'

export interface HealthListener {
  unavailable(error: unknown): void
  available(): void
}

/**
 * Tracks whether the shared windows are available. One failed request switches all keys to local
 * windows.
 */
export interface WindowsHealth {
  readonly isLocal: boolean
  /** Returns true at most once per pause, when the shared windows should be tried again. */
  isRetryDue(now: number): boolean
  answered(): void
  failed(now: number, error: unknown): void
}

/** Pause in milliseconds before the shared windows are tried again in the background. */
const pauseMs = 250

/** @param listener notified of each failed request, and when the windows are available again */
export function createWindowsHealth(
  metrics: Pick<Metrics, 'set'>,
  listener?: HealthListener
): WindowsHealth {
  let isLocal = false
  let retryAt = 0

  function become(next: boolean): void {
    if (next !== isLocal) metrics.set('sluice_rate_limit_local', {}, next ? 1 : 0)
    isLocal = next
  }

  metrics.set('sluice_rate_limit_local', {}, 0)
  return {
    get isLocal() {
      return isLocal
    },
    isRetryDue: (now) => {
      if (now < retryAt) return false
      retryAt = now + pauseMs
      return true
    },
    answered: () => {
      if (isLocal) listener?.available()
      become(false)
    },
    failed: (now, error) => {
      retryAt = now + pauseMs
      become(true)
      listener?.unavailable(error)
    }
  }
}

interface RefillDependencies {
  readonly windows: SharedWindows
  readonly health: WindowsHealth
  readonly metrics: Pick<Metrics, 'count'>
  readonly now: () => number
}

/**
 * Requests the points that callers wait for, plus `points`. Does nothing if a request is in
 * progress, or if no points are needed while the shared windows are available.
 */
export type RefillLease = (key: LimitedKey, points?: number) => void

export function createRefillLease(dependencies: RefillDependencies): RefillLease {
  const { windows, health, metrics, now } = dependencies

  function count(result: 'granted' | 'cut' | 'refused' | 'failed', points: number): void {
    metrics.count('sluice_rate_limit_requests_total', { result })
    if (points > 0) metrics.count('sluice_rate_limit_leased_points_total', {}, points)
  }

  function onResponse(key: LimitedKey, answer: Refill, included: number): void {
    key.isRequesting = false
    health.answered()
    count(resultOf(answer), answer.granted)
    key.lease.refill(key.limit, answer)
    serve(key, answer, included)
    if (key.waiting.length > 0) refillLease(key)
  }

  function onFailure(key: LimitedKey, error: unknown): void {
    const at = now()
    key.isRequesting = false
    health.failed(at, error)
    count('failed', 0)
    for (const { points, resolve } of key.waiting.splice(0)) resolve(giveLocally(key, points, at))
  }

  function refillLease(key: LimitedKey, points = 0): void {
    if (key.isRequesting) return
    const sentAt = now()
    const included = key.waiting.length
    const wanted = key.waiting.reduce((sum, waiter) => sum + waiter.points, points)
    const requested = key.lease.pointsToRequest(key.limit, { wanted, now: sentAt })
    if (requested === 0 && !health.isLocal) return
    key.isRequesting = true
    windows.take(key.name, key.limit, requested).then(
      (state) => onResponse(key, { ...state, requested, sentAt, receivedAt: now() }, included),
      (error: unknown) => onFailure(key, error)
    )
  }

  return refillLease
}

/**
 * Serves waiting callers. Callers included in the request are served from its response, even if it
 * arrives after the lease expired. Later callers are served only while the lease is valid.
 */
function serve(key: LimitedKey, answer: Refill, included: number): void {
  const { granted, requested, receivedAt } = answer
  const { lease, waiting } = key
  let served = 0
  for (const { points, resolve } of waiting) {
    const isDue = served < included && (granted < requested || points <= lease.available)
    if (!isDue && !isDecided(key, points, receivedAt)) break
    resolve(giveFromLease(key, points, receivedAt))
    served += 1
  }
  waiting.splice(0, served)
}

function resultOf({ granted, requested }: Refill): 'granted' | 'cut' | 'refused' {
  if (granted === requested) return 'granted'
  return granted > 0 ? 'cut' : 'refused'
}
