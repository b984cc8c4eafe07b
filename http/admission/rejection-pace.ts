/** Paces rejections. A rejection costs at least half as much as a decision, so callers that retry
 * immediately could keep the process fully busy. Rejections therefore get a small share of its
 * time. When the share is used up, Retry-After grows and reading from the caller's socket pauses
 * briefly.
 */

export interface Pace {
  /** Value of the Retry-After header. */
  readonly retryAfterSeconds: number
  /** Time in milliseconds for which reading from the caller pauses; 0 for no pause. */
  readonly pauseMs: number
}

interface RejectionPace {
  /**
   * Records the arrival of a request. The time since the last rejection counts as the cost of that
   * rejection.
   */
  arrive(at: number): void
  reject(at: number): Pace
  /**
   * Excludes the time until the next arrival from the cost, because the process does other work
   * during that time.
   */
  ignoreElapsed(): void
}

/** Milliseconds of total time per millisecond of rejections. */
const share = 20
/**
 * Maximum duration counted for one rejection. Reading and rejecting takes about 0.03 ms; longer
 * intervals include other work.
 */
const rejectionMsMax = 1
/** Debt in milliseconds at which pauses begin. */
const slackMs = 100
/**
 * Maximum pause in milliseconds. It is short, because other callers may share the connection of a
 * load balancer, and it ends before the shortest Retry-After.
 */
const pauseMsMax = 900
const retryAfterSecondsMax = 30
const debtMsMax = retryAfterSecondsMax * 1000

export function createRejectionPace(): RejectionPace {
  /** Time at which the cost of the rejections so far is paid off. */
  let paidAt = 0
  let rejectedAt: number | null = null

  return {
    arrive: (at) => {
      if (rejectedAt === null) return
      const tookMs = Math.min(at - rejectedAt, rejectionMsMax)
      // Caps the debt at the longest Retry-After, so that it is paid off soon after the rejections
      // stop.
      paidAt = Math.min(Math.max(paidAt, at) + share * tookMs, at + debtMsMax)
      rejectedAt = null
    },
    reject: (at) => {
      rejectedAt = at
      const aheadMs = Math.max(0, paidAt - at)
      return {
        retryAfterSeconds: Math.min(1 + Math.floor(aheadMs / 1000), retryAfterSecondsMax),
        pauseMs: aheadMs < slackMs ? 0 : Math.min(aheadMs, pauseMsMax)
      }
    },
    ignoreElapsed: () => void (rejectedAt = null)
  }
}
