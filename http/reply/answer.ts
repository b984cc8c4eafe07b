/** Every request gets exactly one answer, whatever its handler does. */
import type { Clock } from '../../core/clock.ts'
import { Problem } from '../../core/problem.ts'
import type { Logger } from '../../platform/telemetry/logger.ts'
import type { Increment, Metrics } from '../../platform/telemetry/metrics.ts'
import type { BodyLease } from '../body/body-budget.ts'
import type { Call, Reply } from '../call.ts'
import type { Cors } from '../cors.ts'
import type { Door } from '../admission/door.ts'
import { drain, isRead } from '../body/drain.ts'
import type { Request, Response } from '../express.ts'
import { HttpCall } from '../http-call.ts'
import { forgetRequest, isNewestRequest } from '../admission/newest-request.ts'
import { problemReply } from './problem-reply.ts'
import type { ReportRefusal } from '../admission/report-refusals.ts'
import { requestIdOf } from '../request-id.ts'
import type { Handle } from '../route.ts'
import type { Writing } from './write-reply.ts'

export interface AnswerDependencies {
  readonly door: Door
  readonly cors: Cors
  readonly metrics: Metrics
  readonly logger: Logger
  readonly clock: Clock
  readonly reportRefusal: ReportRefusal
  /** True once a stop has begun: connections are then closed after their answer. */
  readonly isLeaving: () => boolean
}

/** What answers, and how it is counted. */
export interface Answering {
  readonly operation: string
  readonly handle: Handle
  /** Whether its bodies are decisions. */
  readonly isIngest?: boolean
}

export type Answer = (request: Request, response: Response) => Promise<void>

export function createAnswer(dependencies: AnswerDependencies, answering: Answering): Answer {
  const { door, cors, metrics, clock, logger, isLeaving } = dependencies
  const { operation, handle, isIngest = false } = answering
  const countAnswer = createCountAnswer(metrics, operation)
  const observeIngest = isIngest ? metrics.histogram('sluice_ingest_seconds', {}) : null

  /** Nobody can be answered any more when a stream fails: the caller sees that it was cut. */
  async function writeStream(response: Response, reply: Reply, writing: Writing): Promise<void> {
    const { requestId: request_id } = writing
    const failure = await door.writeStream(response, reply, writing)
    if (failure === null) return
    logger.warn({ error: failure, request_id, operation }, 'a stream failed and was cut')
  }

  function noteIngest(lease: BodyLease, { status }: Reply, elapsedMs: number): void {
    door.countBody(lease)
    if (status !== 202 && status !== 207) return
    observeIngest?.(elapsedMs / 1000)
  }

  return async function answer(request, response) {
    const startedAt = performance.now()
    const requestId = requestIdOf(request, clock)
    const lease = door.bodies.lease()
    const call = new HttpCall({ request, response, lease, requestId })
    const reply = await replyOf(dependencies, handle, call)
    lease.end()
    if (observeIngest !== null) noteIngest(lease, reply, performance.now() - startedAt)
    countAnswer(reply.status)
    const isLast = (): boolean =>
      (isLeaving() && isNewestRequest(request)) || !response.shouldKeepAlive
    // Node closes a connection with its last answer, which would cut off a caller still sending.
    if (isLast() && isSending(request, response)) await drain(request)
    const more = cors.headersFor(request.headers.origin)
    // Asked anew: behind the rest of its body another request may have come.
    const writing = { requestId, isLast: isLast(), more }
    forgetRequest(request)
    if (reply.stream === undefined) door.writeReply(response, reply, writing)
    // Streams have limits of their own, and last too long to hold a place of a request.
    door.admission.leave()
    if (!isRead(request) && !(await drain(request))) request.destroy()
    if (reply.stream !== undefined) await writeStream(response, reply, writing)
  }
}

/** Whoever waits for an invitation that did not come sends nothing. */
function isSending(request: Request, response: Response): boolean {
  return !isRead(request) && (request.headers.expect === undefined || response.headersSent)
}

/** One counter for each status, made when it is first answered. */
export function createCountAnswer(metrics: Metrics, operation: string) {
  const counters = new Map<number, Increment>()

  return function countAnswer(status: number): void {
    let increment = counters.get(status)
    if (increment === undefined) {
      const labels = { operation, status: String(status) }
      increment = metrics.counter('sluice_http_requests_total', labels)
      counters.set(status, increment)
    }
    increment()
  }
}

async function replyOf(parts: AnswerDependencies, handle: Handle, call: Call): Promise<Reply> {
  const { logger, reportRefusal } = parts
  try {
    return await handle(call)
  } catch (error) {
    if (error instanceof Problem) {
      reportRefusal(error, call.request_id)
      return problemReply(error, call.request_id)
    }
    logger.error({ error, request_id: call.request_id }, 'a request failed unexpectedly')
    const detail = 'The request failed unexpectedly; the request_id finds it in the logs.'
    return problemReply(new Problem('internal_error', { detail }), call.request_id)
  }
}
