/** Which organizations have called this gateway of late: work pauses only if there are several. */
import { createNeighbours } from '../../platform/process/neighbours.ts'

const recentMs = 2000

/** One for the process, because the process has one event loop. */
export const neighbours = createNeighbours(recentMs)
