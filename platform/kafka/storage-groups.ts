/** The consumer groups of storage: one for each topic, so that decisions never wait behind
 *  evaluations. */

/** @param storageGroupId the group that stores decisions */
export function evaluationsGroupOf(storageGroupId: string): string {
  return `${storageGroupId}-evaluations`
}
