/** What the door counts and bounds: bodies in memory, requests in progress, who was refused. */
import type { Metrics } from '../platform/metrics.ts'
import { createAdmission } from './admission.ts'
import type { Admission } from './admission.ts'
import { createBodyBudget } from './body-budget.ts'
import type { BodyBudget, BodyLease } from './body-budget.ts'
import { createWriteReply } from './write-reply.ts'
import type { WriteReply } from './write-reply.ts'
import { createWriteStream } from './write-stream.ts'
import type { WriteStream } from './write-stream.ts'

export interface DoorOptions {
  readonly requestsMax: number
  readonly bodyBytesMax: number
  readonly responseTimeoutMs: number
  readonly metrics: Metrics
}

export interface Door {
  readonly admission: Admission
  readonly bodies: BodyBudget
  readonly writeReply: WriteReply
  readonly writeStream: WriteStream
  /** Counts what ingest has read of a body. */
  countBody(body: Pick<BodyLease, 'raw' | 'inflated'>): void
}

export function createDoor(options: DoorOptions): Door {
  const { requestsMax, bodyBytesMax, responseTimeoutMs, metrics } = options
  const admission = createAdmission({ requestsMax })
  const bodies = createBodyBudget(bodyBytesMax, () =>
    metrics.count('sluice_shed_total', { reason: 'body_bytes' })
  )
  const countRaw = metrics.counter('sluice_ingest_body_bytes_total', { stage: 'raw' })
  const countInflated = metrics.counter('sluice_ingest_body_bytes_total', { stage: 'inflated' })
  metrics.onLook(() => {
    metrics.set('sluice_requests_in_progress', {}, admission.inProgress())
    metrics.set('sluice_held_body_bytes', {}, bodies.bytes())
  })

  return {
    admission,
    bodies,
    writeReply: createWriteReply(responseTimeoutMs),
    writeStream: createWriteStream(responseTimeoutMs),
    countBody: ({ raw, inflated }) => {
      countRaw(raw)
      countInflated(inflated)
    }
  }
}
