/** How many tails and exports a process serves at once, over all and for each organization. */
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
  readonly organizationMax?: Readonly<Record<StreamKind, number>>
  readonly metrics: Metrics
}

/** So that one organization leaves room for others. Exports keep the store busy, tails hardly. */
export const streamsPerOrganizationMax = Object.freeze({ tail: 250, export: 10 })

export function createOpenStreams(options: OpenStreamsOptions): OpenStreams {
  const { streamsMax, organizationMax = streamsPerOrganizationMax, metrics } = options
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
        refuse('As many streams are open here as there may be.')
      }
      const whose = `${kind} ${organizationId}`
      const most = organizationMax[kind]
      if ((ofOrganization.get(whose) ?? 0) >= most) {
        refuse(`Your organization has ${most} ${kind}s open here; end one of them.`)
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
