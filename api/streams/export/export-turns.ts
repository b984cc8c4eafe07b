/** Turns of exports: those of one organization work one after the other. */
import { createAtMost } from '../../../platform/process/at-most.ts'
import { createFairShare } from '../../../http/admission/fair-share.ts'
import type { FairShare, Pause } from '../../../http/admission/fair-share.ts'
import { streamsPerOrganizationMax } from '../open-streams.ts'

/** Of the connections to Postgres, exports leave most to other reads. */
const atOnceMax = 3
/** Long, because exports are background work. */
const pause: Pause = (workedMs) => Math.min(3 * workedMs, 1000)

/**
 * A piece of work is a query, or writing what it found. However many exports an organization has,
 * they are one among those of other organizations.
 */
export function createExportTurns(): FairShare {
  const waitingMax = streamsPerOrganizationMax.export
  const inShare = createFairShare({ what: 'exports', atOnceMax: 1, waitingMax, pause })
  const atMost = createAtMost(atOnceMax)
  return (organizationId, work) => inShare(organizationId, () => atMost(work))
}
