/** Rejects requests before they reach a route. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../../core/clock.ts'
import { Problem } from '../../core/problem.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import type { Shed } from './admission.ts'
import { createCountResponse } from '../reply/responder.ts'
import type { Cors } from '../cors.ts'
import { drain } from '../body/drain.ts'
import { forgetRequest } from './newest-request.ts'
import { problemReply } from '../reply/problem-reply.ts'
import { requestIdOf } from '../request-id.ts'
import type { WriteReply } from '../reply/write-reply.ts'

interface RejectDependencies {
  readonly metrics: Metrics
  readonly clock: Clock
  readonly cors: Cors
  readonly writeReply: WriteReply
}

export interface Reject {
  /**
   * Rejects an invalid request and closes the connection, because it may be unclear where the next
   * request begins.
   */
  refuse(request: IncomingMessage, response: ServerResponse, problem: Problem): void
  /** Rejects a valid request without reading its body. The caller may reuse the connection. */
  shed(request: IncomingMessage, response: ServerResponse, why: Shed): void
}

/**
 * Maximum size in bytes of a body that node:http may discard by itself. Longer bodies are discarded
 * slowly and for a limited time.
 */
const shortBodyBytes = 64 * 1024
/**
 * Pauses are rounded up to a multiple of this many milliseconds, because timers of equal duration
 * are cheap.
 */
const pauseStepMs = 25

const busy: Readonly<Record<Shed['reason'], Problem>> = {
  requests: overloaded('The maximum number of requests is in progress.'),
  wait: overloaded('The request queue is full.'),
  pipeline: overloaded('Too many pipelined requests are waiting.')
}

export function createReject(dependencies: RejectDependencies): Reject {
  const { metrics, clock, cors, writeReply } = dependencies
  const countResponse = createCountResponse(metrics, 'admission')

  return {
    refuse: (request, response, problem) => {
      const requestId = requestIdOf(request, clock)
      countResponse(problem.status)
      const more = cors.headersFor(request.headers.origin)
      writeReply(response, problemReply(problem, requestId), { requestId, isLast: true, more })
    },

    shed: (request, response, { reason, retryAfterSeconds, pauseMs }) => {
      const requestId = requestIdOf(request, clock)
      forgetRequest(request)
      metrics.count('sluice_shed_total', { reason })
      countResponse(busy[reason].status)
      const retryAfter = { 'retry-after': String(retryAfterSeconds) }
      const more = { ...cors.headersFor(request.headers.origin), ...retryAfter }
      const reply = problemReply(busy[reason], requestId)
      writeReply(response, reply, { requestId, isLast: false, more })
      if (!isShort(request)) void drainOrCut(request)
      else if (pauseMs > 0) leaveUnread(request.socket, pauseMs)
    }
  }
}

/** Checks whether the request has no body, or one whose length is known and small. */
function isShort({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return false
  return Number(headers['content-length'] ?? 0) <= shortBodyBytes
}

/**
 * Stops reading from the caller for `ms`. The kernel buffers what the caller sends until its
 * buffers are full.
 */
function leaveUnread(socket: Socket, ms: number): void {
  // Pauses the socket after node:http has finished this request, because node:http resumes it to
  // discard the body.
  setImmediate(() => socket.pause())
  setTimeout(() => socket.resume(), Math.ceil(ms / pauseStepMs) * pauseStepMs)
}

async function drainOrCut(request: IncomingMessage): Promise<void> {
  if (!(await drain(request))) request.destroy()
}

function overloaded(detail: string): Problem {
  return new Problem('overloaded', {
    detail: `${detail} Retry after the delay in \`Retry-After\`.`
  })
}
