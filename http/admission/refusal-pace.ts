/** How much the gateway refuses: a refusal costs half of what a decision costs or more, so callers
 *  who come again at once could keep it busy with nothing else. Refusals get a small part of its
 *  time. When callers ask for more, they are told to come back later, and left unread a moment. */

export interface Pace {
  /** What Retry-After says. */
  readonly retryAfterSeconds: number
  /** For how long the caller is to be left unread. */
  readonly pauseMs: number
}

export interface RefusalPace {
  /** An arrival, refused or not: the refusal before it is over. */
  arrive(at: number): void
  refuse(at: number): Pace
  /** What happens until the next arrival has nothing to do with refusals. */
  pause(): void
}

/** For one millisecond of refusals, so many for everything. */
const share = 20
/** Reading and refusing takes some 0.03 ms; what took this long was something else. */
const refusalMsMax = 1
/** Refusals so little ahead of their time are nobody's attack. */
const slackMs = 100
/** Behind a balancer others share the connection, so nobody is left unread for long; and who comes
 *  again when Retry-After says so is read at once. */
const pauseMsMax = 900
const retryAfterSecondsMax = 30
const debtMsMax = retryAfterSecondsMax * 1000

export function createRefusalPace(): RefusalPace {
  /** When all refusals so far have been paid for. */
  let paidAt = 0
  let refusedAt: number | null = null

  return {
    arrive: (at) => {
      if (refusedAt === null) return
      const tookMs = Math.min(at - refusedAt, refusalMsMax)
      // Never further ahead than anybody is told: a flood that is over has no more to pay.
      paidAt = Math.min(Math.max(paidAt, at) + share * tookMs, at + debtMsMax)
      refusedAt = null
    },
    refuse: (at) => {
      refusedAt = at
      const aheadMs = Math.max(0, paidAt - at)
      return {
        retryAfterSeconds: Math.min(1 + Math.floor(aheadMs / 1000), retryAfterSecondsMax),
        pauseMs: aheadMs < slackMs ? 0 : Math.min(aheadMs, pauseMsMax)
      }
    },
    pause: () => void (refusedAt = null)
  }
}
