/** Limits concurrent expensive reads of each organization, the work on their results included. */
import type { Principal } from '../core/principal.ts'
import type { Reply } from '../http/call.ts'
import type { CheckedCall } from '../http/route.ts'
import { createFairShare } from '../http/admission/fair-share.ts'

/** Reads whose cost grows with what an organization has stored, and not only with their page. */
const expensiveReads = [
  ...['listDecisions', 'searchDecisions', 'readFacets', 'requestDeletion', 'readContext'],
  ...['listDecisionSessions', 'readDecisionSession', 'listAgentDecisions'],
  ...['readStats', 'readTimeseries', 'listProfiles', 'readProfile', 'readProfileScores'],
  ...['readVersions', 'compareVersions', 'readDomains', 'readSessions'],
  ...['readStatuses', 'listScores', 'summarize', 'scoresOf', 'listRuns', 'readHealth'],
  ...['listEvaluators', 'listVersions', 'listRules', 'previewRule', 'listKeys']
] as const

type ExpensiveRead = (typeof expensiveReads)[number]
type Handler = (call: CheckedCall<never>) => Promise<Reply>

export const expensiveReadsAtOnceMax = 2
/** About what is read in the time below. */
const waitingMax = 100
/** No longer than a single statement waits. */
const waitMsMax = 3000

/** @returns the same handlers; of one organization, few calls of the expensive ones run at once. */
export function shareExpensiveReads<H extends Readonly<Record<ExpensiveRead, Handler>>>(
  handlers: H
): H {
  const inShare = createFairShare({
    ...{ what: 'expensive reads', atOnceMax: expensiveReadsAtOnceMax, waitingMax, waitMsMax }
  })
  const shared = expensiveReads.map((name) => {
    const handle = handlers[name] as (call: CheckedCall<Principal>) => Promise<Reply>
    const share = (call: CheckedCall<Principal>): Promise<Reply> =>
      inShare(call.principal.organization_id, () => handle(call))
    return [name, share]
  })
  return { ...handlers, ...(Object.fromEntries(shared) as Partial<H>) }
}
