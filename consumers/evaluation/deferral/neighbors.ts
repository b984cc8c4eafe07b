/** Knows whether an organization is the only one that this process has seen of late. */

export interface Neighbors {
  note(organizationId: string): void
  /** Whether another one was noted in the last hour. */
  hasOthers(organizationId: string): boolean
}

const rememberedMs = 3_600_000

interface Seen {
  readonly organizationId: string
  readonly at: number
}

/**
 * The two that were seen last are enough: of any organization, one of them is another.
 * @param now milliseconds on a clock that never jumps
 */
export function createNeighbors(now: () => number = () => performance.now()): Neighbors {
  let last: Seen | null = null
  let before: Seen | null = null

  return {
    note(organizationId) {
      if (last !== null && last.organizationId !== organizationId) before = last
      last = { organizationId, at: now() }
    },
    hasOthers(organizationId) {
      const other = last?.organizationId === organizationId ? before : last
      return other !== null && now() - other.at < rememberedMs
    }
  }
}
