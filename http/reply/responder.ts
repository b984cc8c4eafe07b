/** Responds to every request exactly once, even if its handler throws. */
import type { Clock } from '../../core/clock.ts'
import { Problem } from '../../core/problem.ts'
import type { Logger } from '../../platform/telemetry/logger.ts'
import type { Increment, Metrics } from '../../platform/telemetry/metrics.ts'
import type { BodyLease } from '../body/body-budget.ts'
import type { Call, Reply } from '../call.ts'
import type { Cors } from '../cors.ts'
import type { HttpLimits } from '../admission/http-limits.ts'
import { drain, isRead } from '../body/drain.ts'
import type { Request, Response } from '../express.ts'
import { HttpCall } from '../http-call.ts'
import { forgetRequest, isNewestRequest } from '../admission/newest-request.ts'
import { problemReply } from './problem-reply.ts'
import type { ReportRejection } from '../admission/report-rejections.ts'
import { requestIdOf } from '../request-id.ts'
import type { Handle } from '../route.ts'
import type { WriteOptions } from './write-reply.ts'

export interface ResponderDependencies {
  readonly httpLimits: HttpLimits
  readonly cors: Cors
  readonly metrics: Metrics
  readonly logger: Logger
  readonly clock: Clock
  readonly reportRejection: ReportRejection
  /** Returns true during shutdown, when connections are closed after their last response. */
  readonly isLeaving: () => boolean
}

/** A handler and the label under which its requests are counted. */
export interface Endpoint {
  readonly operation: string
  readonly handle: Handle
  /** Whether the request bodies contain decisions. */
  readonly isIngest?: boolean
}

type Responder = (request: Request, response: Response) => Promise<void>

export function createResponder(
  dependencies: ResponderDependencies,
  endpoint: Endpoint
): Responder {
  const { httpLimits, cors, metrics, clock, logger, isLeaving } = dependencies
  const { operation, handle, isIngest = false } = endpoint
  const countResponse = createCountResponse(metrics, operation)
  const observeIngest = isIngest ? metrics.histogram('sluice_ingest_seconds', {}) : null

  /** Writes a stream. A failure closes the connection, because no error response can be sent. */
  async function writeStream(
    response: Response,
    reply: Reply,
    writing: WriteOptions
  ): Promise<void> {
    const { requestId: request_id } = writing
    const failure = await httpLimits.writeStream(response, reply, writing)
    if (failure === null) return
    logger.warn(
      { error: failure, request_id, operation },
      'response stream failed, connection closed'
    )
  }

  function noteIngest(lease: BodyLease, { status }: Reply, elapsedMs: number): void {
    httpLimits.countBody(lease)
    if (status !== 202 && status !== 207) return
    observeIngest?.(elapsedMs / 1000)
  }

  return async function respond(request, response) {
    const startedAt = performance.now()
    const requestId = requestIdOf(request, clock)
    const lease = httpLimits.bodies.lease()
    const call = new HttpCall({ request, response, lease, requestId })
    const reply = await replyOf(dependencies, handle, call)
    lease.end()
    if (observeIngest !== null) noteIngest(lease, reply, performance.now() - startedAt)
    countResponse(reply.status)
    const isLast = (): boolean =>
      (isLeaving() && isNewestRequest(request)) || !response.shouldKeepAlive
    // Drains the body first: Node closes the connection after the last response and would
    // disconnect a caller that is still sending.
    if (isLast() && isSending(request, response)) await drain(request)
    const more = cors.headersFor(request.headers.origin)
    // Evaluates `isLast` again, because another request may have arrived during the drain.
    const writing = { requestId, isLast: isLast(), more }
    forgetRequest(request)
    if (reply.stream === undefined) httpLimits.writeReply(response, reply, writing)
    // A stream has its own limits and lasts too long to count as a request in progress.
    httpLimits.admission.leave()
    if (!isRead(request) && !(await drain(request))) request.destroy()
    if (reply.stream !== undefined) await writeStream(response, reply, writing)
  }
}

/**
 * Checks whether the caller is still sending the body. A caller that waits for 100 Continue is not.
 */
function isSending(request: Request, response: Response): boolean {
  return !isRead(request) && (request.headers.expect === undefined || response.headersSent)
}

/** Creates a function that counts responses. It creates the counter for a status on first use. */
export function createCountResponse(metrics: Metrics, operation: string) {
  const counters = new Map<number, Increment>()

  return function countResponse(status: number): void {
    let increment = counters.get(status)
    if (increment === undefined) {
      const labels = { operation, status: String(status) }
      increment = metrics.counter('sluice_http_requests_total', labels)
      counters.set(status, increment)
    }
    increment()
  }
}

async function replyOf(parts: ResponderDependencies, handle: Handle, call: Call): Promise<Reply> {
  const { logger, reportRejection } = parts
  try {
    return await handle(call)
  } catch (error) {
    if (error instanceof Problem) {
      reportRejection(error, call.request_id)
      return problemReply(error, call.request_id)
    }
    logger.error({ error, request_id: call.request_id }, 'request failed unexpectedly')
    const detail =
      'The request failed unexpectedly. The server logs the cause under the request_id.'
    return problemReply(new Problem('internal_error', { detail }), call.request_id)
  }
}
