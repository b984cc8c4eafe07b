/** Whether other organizations call this process, too: only then is there anybody to be fair to. */

export interface Neighbours {
  /** Told of every call whose organization is known. */
  note(organizationId: string): void
  /** Whether another organization has called of late. */
  has(organizationId: string): boolean
}

const lateMs = 2000

interface Caller {
  readonly organizationId: string
  at: number
}

/** @param now milliseconds on a clock that never jumps */
export function createNeighbours(now: () => number = () => performance.now()): Neighbours {
  const never = { organizationId: '', at: Number.NEGATIVE_INFINITY }
  /** The two organizations that called last: one of them is another one for everybody. */
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
      return now() - neighbour.at < lateMs
    }
  }
}

/** One for the process: whoever calls it, calls its one event loop. */
export const neighbours = createNeighbours()
