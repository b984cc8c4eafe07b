/** Creates the state that streamed responses share: open streams, exports and polls for tails. */
import { createFairShare } from '../../http/admission/fair-share.ts'
import type { FairShare, Pause } from '../../http/admission/fair-share.ts'
import { overloaded } from '../../http/admission/overloaded.ts'
import { createAtMost } from '../../platform/process/at-most.ts'
import { createSealer } from '../../platform/security/sealed-secret.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import { createTailHub } from './tail/tail-hub.ts'
import type { TailHubDependencies } from './tail/tail-hub.ts'
import { createTailIds } from './tail/tail-id.ts'
import { createOpenTail } from './tail/tail.ts'
import type { TailDependencies } from './tail/tail.ts'

export type Streams = ReturnType<typeof createStreams>

interface StreamsDependencies
  extends
    StreamLimits,
    Omit<TailHubDependencies, 'tailIdsOf'>,
    Pick<TailDependencies, 'stopping' | 'liveSessions'> {
  /**
   * Secret that the encryption key for tail event ids is derived from. Must be the same in all
   * gateways.
   */
  readonly secret: string
}

export function createStreams(dependencies: StreamsDependencies) {
  const streams = createOpenStreams(dependencies)
  const sealer = createSealer(dependencies.secret)
  const tailIdsOf = (organizationId: string) => createTailIds(sealer, organizationId)
  const hub = createTailHub({ ...dependencies, tailIdsOf })
  const openTail = createOpenTail({ ...dependencies, hub, tailIdsOf, streams })
  return { open: streams.open, openTail, exportSlots: createExportSlots() }
}

type StreamKind = 'tail' | 'export'

interface StreamLimits {
  /** Maximum number of open streams of this process, across all organizations. */
  readonly streamsMax: number
  readonly metrics: Metrics
}

/**
 * Maximum number of open streams per organization. Exports keep Postgres busy; tails cause little
 * load.
 */
export const streamsPerOrganizationMax = Object.freeze({ tail: 250, export: 10 })
/** Maximum fraction of all streams that one organization can have open, per kind. */
const organizationPart = 1 / 4

/** Limits the number of open tails and exports, per process and per organization. */
export function createOpenStreams({ streamsMax, metrics }: StreamLimits) {
  const share = Math.ceil(streamsMax * organizationPart)
  const ofKind: Record<StreamKind, number> = { tail: 0, export: 0 }
  const ofOrganization = new Map<string, number>()
  metrics.onCollect(() => {
    for (const kind of ['tail', 'export'] as const) {
      metrics.set('sluice_streams_open', { kind }, ofKind[kind])
    }
  })

  function refuse(detail: string): never {
    metrics.count('sluice_shed_total', { reason: 'streams' })
    throw overloaded(detail)
  }

  function count(kind: StreamKind, key: string, by: number): void {
    const held = (ofOrganization.get(key) ?? 0) + by
    ofKind[kind] += by
    if (held === 0) ofOrganization.delete(key)
    else ofOrganization.set(key, held)
  }

  return {
    /**
     * Takes a slot.
     * @returns an idempotent function that releases the slot
     * @throws {Problem} 503 if a limit is reached
     */
    open: (kind: StreamKind, organizationId: string) => {
      if (ofKind.tail + ofKind.export >= streamsMax) {
        refuse(`${streamsMax} tails and exports are open on this instance. Retry shortly.`)
      }
      const key = `${kind} ${organizationId}`
      const most = Math.min(share, streamsPerOrganizationMax[kind])
      if ((ofOrganization.get(key) ?? 0) >= most) {
        refuse(
          `Your organization has ${most} open ${kind}s on this instance. Close one of them, ` +
            'or retry later.'
        )
      }
      let isOpen = true
      count(kind, key, 1)
      return (): void => {
        if (isOpen) count(kind, key, -1)
        isOpen = false
      }
    }
  }
}

/**
 * Maximum number of concurrent tasks of exports. Low, to leave most Postgres connections to other
 * reads.
 */
const atOnceMax = 3
/** Computes the pause after a task. Pauses are long, because exports are background work. */
const pause: Pause = (workedMs) => Math.min(3 * workedMs, 1000)

/**
 * Limits the concurrent work of exports. A task is one query or the rendering of its rows. All
 * exports of an organization share one slot, so that an organization cannot get more work done by
 * opening more exports.
 */
export function createExportSlots(): FairShare {
  const waitingMax = streamsPerOrganizationMax.export
  const inShare = createFairShare({ what: 'exports', atOnceMax: 1, waitingMax, pause })
  const atMost = createAtMost(atOnceMax)
  return (organizationId, work) => inShare(organizationId, () => atMost(work))
}
