/** Names the storage consumer groups. Each topic has its own group, so that decisions never wait
 * for evaluations.
 */

/** @param storageGroupId the group that stores decisions */
export function evaluationsGroupOf(storageGroupId: string): string {
  return `${storageGroupId}-evaluations`
}
