/** Tracks which organizations used this process recently. A fair share pauses after a task only if
 * several organizations did.
 */
import { createNeighbours } from '../../platform/process/neighbours.ts'

const recentMs = 2000

/** Shared by the whole process, because the process has one event loop. */
export const activeOrganizations = createNeighbours(recentMs)
