/** Asks the shared windows for points, one request at a time for each key, and serves who waits. */
import { pointsToAsk, refill } from './lease.ts'
import type { Refill } from './lease.ts'
import { giveFromLease, giveLocally, isDecided } from './limited-key.ts'
import type { LimitedKey } from './limited-key.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { SharedWindows } from '../redis/shared-windows.ts'

export interface TellReach {
  away(error: unknown): void
  back(): void
}

/** Whether the shared windows answer; one key that gets no answer speaks for all of them. */
export interface Reach {
  readonly isLocal: boolean
  /** Says, once for each pause, that it is time to see whether they answer again. */
  isTimeToAsk(now: number): boolean
  answered(): void
  failed(now: number, error: unknown): void
}

/**
 * How long Redis is left alone after it failed. Nobody waits for the question whether it is back.
 */
const pauseMs = 250

/** @param tell hears when the windows stop to answer, and when they answer again. */
export function createReach(metrics: Pick<Metrics, 'set'>, tell?: TellReach): Reach {
  let isLocal = false
  let askAgainAt = 0

  function become(next: boolean): void {
    if (next !== isLocal) metrics.set('sluice_rate_limit_local', {}, next ? 1 : 0)
    isLocal = next
  }

  metrics.set('sluice_rate_limit_local', {}, 0)
  return {
    get isLocal() {
      return isLocal
    },
    isTimeToAsk: (now) => {
      if (now < askAgainAt) return false
      askAgainAt = now + pauseMs
      return true
    },
    answered: () => {
      if (isLocal) tell?.back()
      become(false)
    },
    failed: (now, error) => {
      askAgainAt = now + pauseMs
      become(true)
      tell?.away(error)
    }
  }
}

export interface RefillDependencies {
  readonly windows: SharedWindows
  readonly reach: Reach
  readonly metrics: Pick<Metrics, 'count'>
  readonly now: () => number
}

/**
 * Starts a request unless one is running, or there is nothing to ask for: what callers wait for,
 * and `points` beside that.
 */
export type RefillLease = (key: LimitedKey, points?: number) => void

export function createRefillLease(dependencies: RefillDependencies): RefillLease {
  const { windows, reach, metrics, now } = dependencies

  function count(result: 'granted' | 'cut' | 'refused' | 'failed', points: number): void {
    metrics.count('sluice_rate_limit_requests_total', { result })
    if (points > 0) metrics.count('sluice_rate_limit_leased_points_total', {}, points)
  }

  function onAnswer(key: LimitedKey, answer: Refill, included: number): void {
    key.isAsking = false
    reach.answered()
    count(resultOf(answer), answer.granted)
    refill(key.lease, key.limit, answer)
    serve(key, answer, included)
    if (key.waiting.length > 0) refillLease(key)
  }

  function onSilence(key: LimitedKey, error: unknown): void {
    const at = now()
    key.isAsking = false
    reach.failed(at, error)
    count('failed', 0)
    for (const { points, resolve } of key.waiting.splice(0)) resolve(giveLocally(key, points, at))
  }

  function refillLease(key: LimitedKey, points = 0): void {
    if (key.isAsking) return
    const sentAt = now()
    const included = key.waiting.length
    const wanted = key.waiting.reduce((sum, waiter) => sum + waiter.points, points)
    const asked = pointsToAsk(key.lease, key.limit, { wanted, now: sentAt })
    if (asked === 0 && !reach.isLocal) return
    key.isAsking = true
    windows.take(key.name, key.limit, asked).then(
      (state) => onAnswer(key, { ...state, asked, sentAt, receivedAt: now() }, included),
      (error: unknown) => onSilence(key, error)
    )
  }

  return refillLease
}

/**
 * Who waited when the request was sent was taken for in that request, whenever its answer comes.
 * Who came later is served only from a lease that is good now.
 */
function serve(key: LimitedKey, answer: Refill, included: number): void {
  const { granted, asked, receivedAt } = answer
  const { lease, waiting } = key
  let served = 0
  for (const { points, resolve } of waiting) {
    const isDue = served < included && (granted < asked || points <= lease.available)
    if (!isDue && !isDecided(key, points, receivedAt)) break
    resolve(giveFromLease(key, points, receivedAt))
    served += 1
  }
  waiting.splice(0, served)
}

function resultOf({ granted, asked }: Refill): 'granted' | 'cut' | 'refused' {
  if (granted === asked) return 'granted'
  return granted > 0 ? 'cut' : 'refused'
}
