/** Knows whether an organization has been the only one in this process for the last hour. */

export interface Neighbors {
  note(organizationId: string): void
  /** Whether another organization was noted in the last hour. */
  hasOthers(organizationId: string): boolean
}

const rememberedMs = 3_600_000

interface Seen {
  readonly organizationId: string
  readonly at: number
}

/**
 * Keeps the last two organizations: at least one of them differs from any given one.
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
