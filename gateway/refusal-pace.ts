/** How fast the gateway refuses: a refusal costs a fifth of what a decision costs, so callers who
 *  come again at once could keep it busy with nothing else. It gives them a fifth of its time, and
 *  leaves who was refused unread for a moment when they ask for more. */

export interface RefusalPace {
  /** An arrival, refused or not: the refusal before it is over. */
  arrive(at: number): void
  /** @returns for how many milliseconds the caller is to be left unread. */
  refuse(at: number): number
  /** What happens until the next arrival has nothing to do with refusals. */
  pause(): void
}

/** For one millisecond of refusals, four for everything else. */
const share = 5
/** Reading and refusing takes some 0.03 ms; what took this long was something else. */
const refusalMsMax = 1
/** Refusals so little ahead of their time are nobody's attack. */
const slackMs = 20
/** As long as Retry-After says. */
const pauseMsMax = 1000

export function createRefusalPace(): RefusalPace {
  /** When all refusals so far have been paid for. */
  let paidAt = 0
  let refusedAt: number | null = null

  return {
    arrive: (at) => {
      if (refusedAt === null) return
      const tookMs = Math.min(at - refusedAt, refusalMsMax)
      paidAt = Math.max(paidAt, at) + share * tookMs
      refusedAt = null
    },
    refuse: (at) => {
      refusedAt = at
      const aheadMs = paidAt - at
      return aheadMs < slackMs ? 0 : Math.min(aheadMs, pauseMsMax)
    },
    pause: () => void (refusedAt = null)
  }
}
