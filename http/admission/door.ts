/** What the door counts and bounds: bodies in memory, requests in progress, who was refused. */
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import { createAdmission } from './admission.ts'
import type { Admission } from './admission.ts'
import { createBodyBudget } from '../body/body-budget.ts'
import type { BodyBudget, BodyLease } from '../body/body-budget.ts'
import { createUnreadAnswers } from '../reply/unread-answers.ts'
import { createWriteReply } from '../reply/write-reply.ts'
import type { WriteReply } from '../reply/write-reply.ts'
import { createWriteStream } from '../reply/write-stream.ts'
import type { WriteStream } from '../reply/write-stream.ts'

export interface DoorOptions {
  readonly requestsMax: number
  readonly bodyBytesMax: number
  readonly responseTimeoutMs: number
  /** Of answers that nobody has read yet. */
  readonly unreadBytesMax?: number
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

/** Some thirty of the largest decisions there are, or a thousand pages of a list. */
const unreadBytesMaxDefault = 128 * 1024 * 1024

export function createDoor(options: DoorOptions): Door {
  const { requestsMax, bodyBytesMax, responseTimeoutMs, metrics } = options
  const { unreadBytesMax = unreadBytesMaxDefault } = options
  const bodies = createBodyBudget({ bytesMax: bodyBytesMax, requestsMax }, () =>
    metrics.count('sluice_shed_total', { reason: 'body_bytes' })
  )
  const admission = createAdmission({ requestsMax, makeRoom: bodies.cutSlow })
  const unread = createUnreadAnswers(unreadBytesMax, () =>
    metrics.count('sluice_shed_total', { reason: 'unread' })
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
    writeReply: createWriteReply(responseTimeoutMs, unread),
    writeStream: createWriteStream(responseTimeoutMs),
    countBody: ({ raw, inflated }) => {
      countRaw(raw)
      countInflated(inflated)
    }
  }
}
