/** Limits the tails and exports that a process serves at once: of all, and of each organization. */
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import { overloaded } from '../../http/admission/overloaded.ts'

export type StreamKind = 'tail' | 'export'

export interface OpenStreams {
  /** Takes a place; returns what gives it back, which may be called again. @throws {Problem} 503 */
  open(kind: StreamKind, organizationId: string): () => void
}

export interface OpenStreamsOptions {
  /** Of all organizations together. */
  readonly streamsMax: number
  readonly metrics: Metrics
}

/** Exports keep Postgres busy, tails hardly. */
export const streamsPerOrganizationMax = Object.freeze({ tail: 250, export: 10 })
/** An organization has at most this part of all streams, whatever their limit is. */
export const organizationPart = 1 / 4

export function createOpenStreams({ streamsMax, metrics }: OpenStreamsOptions): OpenStreams {
  const share = Math.ceil(streamsMax * organizationPart)
  const ofKind: Record<StreamKind, number> = { tail: 0, export: 0 }
  const ofOrganization = new Map<string, number>()
  metrics.onLook(() => {
    for (const kind of ['tail', 'export'] as const) {
      metrics.set('sluice_streams_open', { kind }, ofKind[kind])
    }
  })

  function refuse(detail: string): never {
    metrics.count('sluice_shed_total', { reason: 'streams' })
    throw overloaded(detail)
  }

  function count(kind: StreamKind, whose: string, by: number): void {
    const held = (ofOrganization.get(whose) ?? 0) + by
    ofKind[kind] += by
    if (held === 0) ofOrganization.delete(whose)
    else ofOrganization.set(whose, held)
  }

  return {
    open: (kind, organizationId) => {
      if (ofKind.tail + ofKind.export >= streamsMax) {
        refuse(`${streamsMax} tails and exports are open on this instance. Retry shortly.`)
      }
      const whose = `${kind} ${organizationId}`
      const most = Math.min(share, streamsPerOrganizationMax[kind])
      if ((ofOrganization.get(whose) ?? 0) >= most) {
        refuse(`Your organization has ${most} ${kind}s open on this instance. Close one of them.`)
      }
      let isOpen = true
      count(kind, whose, 1)
      return () => {
        if (isOpen) count(kind, whose, -1)
        isOpen = false
      }
    }
  }
}
