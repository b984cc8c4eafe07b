/** Chooses the organizations that an audit counts separately. */

export interface OrganizationSlots {
  /** Returns false if no slot is left. The result for an organization never changes. */
  take(organizationId: string): boolean
  /** Whether at least one organization did not get a slot. */
  areExhausted(): boolean
}

/** @param preferred organizations that always get a slot, at most `slotsMax` */
export function createOrganizationSlots(
  slotsMax: number,
  preferred: ReadonlySet<string> = new Set()
): OrganizationSlots {
  const others = new Set<string>()
  let isExhausted = false
  return {
    take: (organizationId) => {
      if (preferred.has(organizationId) || others.has(organizationId)) return true
      if (preferred.size + others.size >= slotsMax) {
        isExhausted = true
        return false
      }
      others.add(organizationId)
      return true
    },
    areExhausted: () => isExhausted
  }
}
