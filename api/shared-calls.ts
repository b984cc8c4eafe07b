/** Limits the concurrent expensive reads of each organization, the work on their results included,
 *  and its calls about accounts. */
import type { Principal } from '../core/principal.ts'
import type { Reply } from '../http/call.ts'
import type { CheckedCall } from '../http/route.ts'
import { createFairShare } from '../http/admission/fair-share.ts'
import type { FairShare, Pause } from '../http/admission/fair-share.ts'

/** Reads whose cost grows with what an organization has stored, and not only with their page. */
const expensiveReads = [
  ...['listDecisions', 'searchDecisions', 'readFacets', 'requestDeletion', 'readContext'],
  ...['listDecisionSessions', 'readDecisionSession', 'listAgentDecisions'],
  ...['readStats', 'readTimeseries', 'listProfiles', 'readProfile', 'readProfileScores'],
  ...['readVersions', 'compareVersions', 'readDomains', 'readSessions'],
  ...['readStatuses', 'listScores', 'summarize', 'scoresOf', 'listRuns', 'readHealth'],
  ...['listEvaluators', 'listVersions', 'listRules', 'previewRule', 'listKeys']
] as const

/** They read and change what belongs to people, on connections that all organizations share. */
const accountCalls = [
  ...['logout', 'listOwnSessions', 'endSession', 'showMe', 'changeMe', 'whoami', 'changePassword'],
  ...['sendVerification', 'showOrganization', 'changeOrganization', 'switchOrganization'],
  ...['listMembers', 'changeMember', 'removeMember', 'listInvites', 'createInvite', 'deleteInvite'],
  ...['acceptInvite', 'createKey', 'showKey', 'changeKey', 'rotateKey', 'revokeKey', 'listAudit']
] as const

type Shared = (typeof expensiveReads)[number] | (typeof accountCalls)[number]
type Handler = (call: CheckedCall<never>) => Promise<Reply>

export const expensiveReadsAtOnceMax = 2
/** While other organizations call: each of these reads keeps a core busy in Postgres. */
const besideOthersMax = 1
/**
 * We assume that a light tenant never has more reads waiting, even while reads are slow.
 */
const fewWaiting = 4
const pause: Pause = (workedMs, waiting) =>
  waiting > fewWaiting ? Math.min(5 * workedMs, 500) : Math.min(2 * workedMs, 50)
/** About what is read in the time below. */
const waitingMax = 100
/** No longer than a single statement waits. */
const waitMsMax = 3000

/** @returns the same handlers; of one organization, few calls of each kind run at once. */
export function shareCalls<H extends Readonly<Record<Shared, Handler>>>(handlers: H): H {
  const limits = { atOnceMax: expensiveReadsAtOnceMax, waitingMax, waitMsMax }
  const what = 'expensive reads'
  const shareExpensive = createFairShare({ what, besideOthersMax, pause, ...limits })
  const shareAccounts = createFairShare({ what: 'calls about accounts', ...limits })
  const inShare = (name: Shared, share: FairShare) => {
    const handle = handlers[name] as (call: CheckedCall<Principal>) => Promise<Reply>
    return (call: CheckedCall<Principal>): Promise<Reply> =>
      share(call.principal.organization_id, () => handle(call))
  }
  const shared = [
    ...expensiveReads.map((name) => [name, inShare(name, shareExpensive)] as const),
    ...accountCalls.map((name) => [name, inShare(name, shareAccounts)] as const)
  ]
  return { ...handlers, ...(Object.fromEntries(shared) as Partial<H>) }
}
