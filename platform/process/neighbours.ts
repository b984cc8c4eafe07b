/** Neighbors: reports whether several organizations have used this process recently. */

export interface Neighbours {
  /**
   * Records that an organization used the process. Call it for all work of a known organization.
   */
  note(organizationId: string): void
  /** Checks whether another organization has used the process recently. */
  has(organizationId: string): boolean
}

interface Caller {
  readonly organizationId: string
  at: number
}

/**
 * @param recentMs how long a call counts as recent
 * @param now returns milliseconds of a monotonic clock
 */
export function createNeighbours(
  recentMs: number,
  now: () => number = () => performance.now()
): Neighbours {
  const never = { organizationId: '', at: Number.NEGATIVE_INFINITY }
  /**
   * The two most recent organizations. At least one of them differs from any given organization.
   */
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
