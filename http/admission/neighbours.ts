/** Which organizations have called this process of late: work pauses only if there are several. */

export interface Neighbours {
  /** To be called for every request whose organization is known. */
  note(organizationId: string): void
  /** Whether another organization has called in the last two seconds. */
  has(organizationId: string): boolean
}

const recentMs = 2000

interface Caller {
  readonly organizationId: string
  at: number
}

/** @param now milliseconds on a clock that never jumps */
export function createNeighbours(now: () => number = () => performance.now()): Neighbours {
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

/** One for the process, because the process has one event loop. */
export const neighbours = createNeighbours()
