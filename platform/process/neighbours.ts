/** Whether several organizations use this process of late: only then do they take turns. */

export interface Neighbours {
  /** To be called for all work whose organization is known. */
  note(organizationId: string): void
  /** Whether another organization was noted of late. */
  has(organizationId: string): boolean
}

interface Caller {
  readonly organizationId: string
  at: number
}

/**
 * @param recentMs how long ago may be of late
 * @param now milliseconds on a clock that never jumps
 */
export function createNeighbours(
  recentMs: number,
  now: () => number = () => performance.now()
): Neighbours {
  const never = { organizationId: '', at: Number.NEGATIVE_INFINITY }
  /** The last two organizations that called: at least one of them differs from any given one. */
  let last: Caller = never
  let other: Caller = never

  return {
    note: (organizationId) => {
      if (last.organizationId === organizationId) {
        last.at = now()
        return
      }
      const isKnown = other.organizationId === organizationId
      const caller = isKnown ? other : { organizationId, at: 0 }
      caller.at = now()
      other = last
      last = caller
    },
    has: (organizationId) => {
      const neighbour = last.organizationId === organizationId ? other : last
      return now() - neighbour.at < recentMs
    }
  }
}
