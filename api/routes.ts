/** Collects the API routes of all resources, and binds them to the services and to the limits on
 * concurrent calls.
 */
import type { Checked } from '../auth/checked.ts'
import type { CheckedCall, Handle, Route } from '../http/route.ts'
import type { ResourceRoute, ShareKind } from '../http/typed-route.ts'
import { createFairShare } from '../http/admission/fair-share.ts'
import type { FairShare, Pause } from '../http/admission/fair-share.ts'
import { budgetRoutes } from './budget/routes.ts'
import { connectionRoutes } from './connections/routes.ts'
import { evaluatorRoutes } from './evaluators/routes.ts'
import { ruleRoutes } from './rules/routes.ts'
import type { Services } from './services.ts'
import { accountRoutes } from './accounts/routes.ts'
import { deadLetterRoutes } from './dead-letters/routes.ts'
import { deletionRoutes } from './decisions/deletions.ts'
import { decisionRoutes } from './decisions/routes.ts'
import { ingestionRoutes } from './ingestion/routes.ts'
import { onboardingRoutes } from './onboarding/routes.ts'
import { organizationRoutes } from './organization/routes.ts'
import { profileRoutes } from './profiles/routes.ts'
import { resultRoutes } from './results/routes.ts'
import { statsRoutes } from './stats/routes.ts'
import { streamRoutes } from './streams/routes.ts'
import { webhookRoutes } from './webhooks/routes.ts'

export const apiRoutes = [
  ...decisionRoutes,
  ...deletionRoutes,
  ...statsRoutes,
  ...streamRoutes,
  ...ingestionRoutes,
  ...accountRoutes,
  ...organizationRoutes,
  ...onboardingRoutes,
  ...evaluatorRoutes,
  ...ruleRoutes,
  ...connectionRoutes,
  ...budgetRoutes,
  ...webhookRoutes,
  ...resultRoutes,
  ...profileRoutes,
  ...deadLetterRoutes
]

export const expensiveReadsAtOnceMax = 2
/**
 * Maximum number of concurrent reads of an organization while other organizations use the process.
 * Each read keeps a Postgres core busy.
 */
const contendedMax = 1
/**
 * Number of waiting reads above which pauses are longer. An organization with light load is not
 * expected to exceed it, even when reads are slow.
 */
const fewWaiting = 4
const pause: Pause = (workedMs, waiting) =>
  waiting > fewWaiting ? Math.min(5 * workedMs, 500) : Math.min(2 * workedMs, 50)
/** Maximum number of waiting calls: about as many as can complete within `waitMsMax`. */
const waitingMax = 100
/**
 * Maximum time in milliseconds that a call waits. Equal to the maximum time that a single
 * statement waits in the queue of its organization (store.ts).
 */
const waitMsMax = 3000

/**
 * Creates a fair share for each kind of call. The share limits how many calls of that kind an
 * organization runs at a time. A call counts until its response has been rendered.
 */
export function createShares(): Readonly<Record<ShareKind, FairShare>> {
  const limits = { atOnceMax: expensiveReadsAtOnceMax, waitingMax, waitMsMax }
  const reads = { what: 'expensive reads', contendedMax, pause, ...limits }
  return {
    'expensive reads': createFairShare(reads),
    'account calls': createFairShare({ what: 'account calls', ...limits })
  }
}

/**
 * Binds the routes to their services. Once a call to a route with a `share` has passed its checks,
 * it runs within its organization's share of concurrent calls.
 */
export function bindRoutes(
  given: Omit<Services, 'shareReads'>,
  checked: Checked
): readonly Route[] {
  const shares = createShares()
  const services = { ...given, shareReads: shares['expensive reads'] }

  function bind({
    credential,
    operation,
    share,
    instead,
    handle
  }: ResourceRoute<Services>): Handle {
    const run = (call: CheckedCall) => handle(call as never, services)
    const shared = (call: CheckedCall) => {
      return share === undefined
        ? run(call)
        : shares[share](call.principal.organization_id, () => run(call))
    }
    const bound = checked({ credential, operation }, shared as never)
    if (instead === undefined) return bound
    const other = bind(instead.route)
    return (call) => (call.query[instead.parameter] === undefined ? bound : other)(call)
  }

  return apiRoutes.map((route) => {
    const { method, path, credential, operation } = route
    const surface = path.startsWith('/v1/ingest/') ? 'ingest' : 'api'
    return { surface, method, path, credential, operation, handle: bind(route) }
  })
}
