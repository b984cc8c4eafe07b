/** Tracks which organizations have used this process recently. After a task of one organization, a
 * fair share pauses only if another organization has used the process recently.
 */
import { createNeighbours } from '../../platform/process/neighbours.ts'

const recentMs = 2000

/** Shared by the whole process, because the process has one event loop. */
export const activeOrganizations = createNeighbours(recentMs)
