/** Rate-limit lease: holds points of one key that this instance has taken from the shared window.
 *
 * All times are parameters, in milliseconds of a monotonic clock.
 */
import type { RateLimit, RateLimitState } from './rate-limit.ts'

/** Response from the shared window, with the times of the request and the response. */
export interface Refill extends RateLimitState {
  readonly requested: number
  readonly sentAt: number
  readonly receivedAt: number
}

/** Points that waiting callers want at the time `now`. */
interface Demand {
  readonly wanted: number
  readonly now: number
}

/**
 * Target duration of a lease in milliseconds: long enough to need few requests, short enough to
 * waste few points.
 */
const leaseMs = 500
/**
 * Divisor of the remaining points. In addition to the current demand, a lease gets at most 1/16 of
 * them.
 */
const shareOfLeft = 16
/**
 * Minimum block size at which a lease is refilled early. If smaller leases were also refilled
 * early, keys with little traffic would hoard points.
 */
const refilledFrom = 8
/** Half-life of the traffic rate, in milliseconds. */
const rateHalfLifeMs = 175
/** Time after which an exhausted window is checked again, because Redis may have lost it. */
const recheckMs = 1000

const never = Number.NEGATIVE_INFINITY

export class Lease {
  #available = 0
  #expiresAt = never
  #resetsAt = never
  #left = 0
  /** No points are requested before this time, because the window is exhausted. */
  #spentUntil = never
  /** Whether the last request returned fewer points than it asked for. */
  #isCut = false
  #given = 0
  #low = -1
  /** Recent traffic in points per millisecond. */
  #rate = 0
  #ratedAt: number
  #givenSinceRated = 0

  constructor(now: number) {
    this.#ratedAt = now
  }

  /** Unspent points. They expire at `expiresAt`, which is never after the end of the window. */
  get available(): number {
    return this.#available
  }

  get expiresAt(): number {
    return this.#expiresAt
  }

  /** Latest time at which the window can end. Callers receive this time. */
  get resetsAt(): number {
    return this.#resetsAt
  }

  /** Points left in the shared window at the last request to it. */
  get left(): number {
    return this.#left
  }

  /** Points granted to callers in this window. */
  get given(): number {
    return this.#given
  }

  /** Checks whether so few points are left that more are requested before a caller needs them. */
  get isLow(): boolean {
    return this.#available <= this.#low
  }

  covers(points: number, now: number): boolean {
    return points <= this.#available && now < this.#expiresAt
  }

  /** Takes up to `points` and returns the number taken. */
  give(points: number): number {
    const granted = Math.min(points, this.#available)
    this.#available -= granted
    this.#note(granted)
    return granted
  }

  /** Counts points that a caller got from the local window, and removes as many from the lease. */
  giveElsewhere(granted: number): void {
    this.#available = Math.max(0, this.#available - granted)
    this.#note(granted)
  }

  /** Returns granted but unused points to the lease, unless it has expired. */
  putBack(points: number, now: number): void {
    if (now >= this.#expiresAt) return
    const back = Math.min(points, this.#given)
    this.#available += back
    this.#note(-back)
  }

  /** Checks whether the window is known to have no points left. */
  isSpent(now: number): boolean {
    return now < this.#spentUntil
  }

  /**
   * Checks whether the lease is empty and the window was empty at the last request. The window may
   * have gained points since then.
   */
  isUsedUp(now: number): boolean {
    return this.#isCut && this.#available === 0 && now < this.#expiresAt
  }

  /**
   * Returns the number of points to request if callers wait for `wanted` points: enough for them,
   * plus a block for later callers.
   */
  pointsToRequest(limit: RateLimit, { wanted, now }: Demand): number {
    if (now >= this.#expiresAt) this.#available = 0
    this.#measure(now)
    const left = now < this.#expiresAt ? this.#left : limit.points
    const block = Math.min(
      Math.ceil(this.#rate * this.#msToCover(now)),
      Math.floor(left / shareOfLeft)
    )
    this.#low = block < refilledFrom ? -1 : Math.floor(block / 2)
    return Math.max(0, wanted + block - this.#available)
  }

  /**
   * Adds the points of a response. The expiry is computed from the time of sending. Redis handles
   * the request later than that, so the lease never outlives the window.
   */
  refill(limit: RateLimit, answer: Refill): void {
    const expiresAt = answer.sentAt + answer.resetMs
    // Two computed ends of the same window differ by at most the duration of a request. The ends of
    // different windows differ by about a whole window or more.
    const isSameWindow = expiresAt < this.#expiresAt + limit.windowSeconds * 500
    if (!isSameWindow) {
      this.#available = 0
      this.#given = 0
    }
    this.#available += answer.granted
    this.#expiresAt = expiresAt
    this.#resetsAt = answer.receivedAt + answer.resetMs
    this.#left = answer.remaining
    this.#isCut = answer.granted < answer.requested
    if (!this.#isCut) return
    this.#spentUntil = Math.min(expiresAt, answer.receivedAt + recheckMs)
    this.#low = -1
  }

  #note(granted: number): void {
    this.#given += granted
    this.#givenSinceRated += granted
  }

  /**
   * Returns how long the requested points should last, in milliseconds: at most until the window
   * ends, or 0 while it is uncertain whether the window has ended.
   */
  #msToCover(now: number): number {
    if (now < this.#expiresAt) return Math.min(leaseMs, this.#expiresAt - now)
    return now < this.#resetsAt ? 0 : leaseMs
  }

  /** Updates the exponentially weighted mean of points per millisecond. */
  #measure(now: number): void {
    const elapsed = now - this.#ratedAt
    if (elapsed <= 0) return
    const fresh = 1 - 2 ** (-elapsed / rateHalfLifeMs)
    this.#rate += fresh * (this.#givenSinceRated / elapsed - this.#rate)
    this.#ratedAt = now
    this.#givenSinceRated = 0
  }
}
