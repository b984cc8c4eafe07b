/** Creates the limits of the HTTP server: bodies in memory, requests in progress, and unread
 * responses.
 */
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import { createAdmission } from './admission.ts'
import type { Admission } from './admission.ts'
import { createBodyBudget } from '../body/body-budget.ts'
import type { BodyBudget, BodyLease } from '../body/body-budget.ts'
import { createUnreadResponses } from '../reply/unread-responses.ts'
import { createWriteReply } from '../reply/write-reply.ts'
import type { WriteReply } from '../reply/write-reply.ts'
import { createWriteStream } from '../reply/write-stream.ts'
import type { WriteStream } from '../reply/write-stream.ts'

export interface HttpLimitsOptions {
  readonly requestsMax: number
  readonly bodyBytesMax: number
  readonly responseTimeoutMs: number
  /** Maximum number of unread response bytes across all connections. */
  readonly unreadBytesMax?: number
  readonly metrics: Metrics
}

export interface HttpLimits {
  readonly admission: Admission
  readonly bodies: BodyBudget
  readonly writeReply: WriteReply
  readonly writeStream: WriteStream
  /** Counts the body bytes of an ingest request. */
  countBody(body: Pick<BodyLease, 'received' | 'decompressed'>): void
}

/**
 * Default of `unreadBytesMax`: enough for thirty of the largest decisions, or for a thousand pages
 * of a list.
 */
const unreadBytesMaxDefault = 128 * 1024 * 1024

export function createHttpLimits(options: HttpLimitsOptions): HttpLimits {
  const { requestsMax, bodyBytesMax, responseTimeoutMs, metrics } = options
  const { unreadBytesMax = unreadBytesMaxDefault } = options
  const bodies = createBodyBudget({ bytesMax: bodyBytesMax, requestsMax }, () =>
    metrics.count('sluice_shed_total', { reason: 'body_bytes' })
  )
  const admission = createAdmission({ requestsMax, makeRoom: bodies.cutSlow })
  const unread = createUnreadResponses(unreadBytesMax, () =>
    metrics.count('sluice_shed_total', { reason: 'unread' })
  )
  const countReceived = metrics.counter('sluice_ingest_body_bytes_total', { stage: 'received' })
  const countDecompressed = metrics.counter('sluice_ingest_body_bytes_total', {
    stage: 'decompressed'
  })
  metrics.onCollect(() => {
    metrics.set('sluice_requests_in_progress', {}, admission.inProgress())
    metrics.set('sluice_held_body_bytes', {}, bodies.bytes())
  })

  return {
    admission,
    bodies,
    writeReply: createWriteReply(responseTimeoutMs, unread),
    writeStream: createWriteStream(responseTimeoutMs),
    countBody: ({ received, decompressed }) => {
      countReceived(received)
      countDecompressed(decompressed)
    }
  }
}
