/** Answers that are given before a request reaches its route. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../../core/clock.ts'
import { Problem } from '../../core/problem.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import type { Shed } from './admission.ts'
import { createCountAnswer } from '../reply/answer.ts'
import type { Cors } from '../cors.ts'
import { drain } from '../body/drain.ts'
import { forgetRequest } from './newest-request.ts'
import { problemReply } from '../reply/problem-reply.ts'
import { requestIdOf } from '../request-id.ts'
import type { WriteReply } from '../reply/write-reply.ts'

export interface RefuseDependencies {
  readonly metrics: Metrics
  readonly clock: Clock
  readonly cors: Cors
  readonly writeReply: WriteReply
}

export interface Refuse {
  /** Closes the connection: what follows such a request may not be what it seems. */
  refuse(request: IncomingMessage, response: ServerResponse, problem: Problem): void
  /** Turns a good request away unread; the caller may come again on the same connection. */
  shed(request: IncomingMessage, response: ServerResponse, why: Shed): void
}

/** node:http itself throws away what is left of a body; a long one gets a limit. */
const shortBodyBytes = 64 * 1024
/** Timers of the same length are cheap together. */
const pauseStepMs = 25

const busy: Readonly<Record<Shed['reason'], Problem>> = {
  requests: overloaded('As many requests are in progress here as there may be.'),
  wait: overloaded('Requests wait too long here already.'),
  pipeline: overloaded('Too many requests wait behind others on their connection.')
}

export function createRefuse(dependencies: RefuseDependencies): Refuse {
  const { metrics, clock, cors, writeReply } = dependencies
  const countAnswer = createCountAnswer(metrics, 'door')

  return {
    refuse: (request, response, problem) => {
      const requestId = requestIdOf(request, clock)
      countAnswer(problem.status)
      const more = cors.headersFor(request.headers.origin)
      writeReply(response, problemReply(problem, requestId), { requestId, isLast: true, more })
    },

    shed: (request, response, { reason, retryAfterSeconds, pauseMs }) => {
      const requestId = requestIdOf(request, clock)
      forgetRequest(request)
      metrics.count('sluice_shed_total', { reason })
      countAnswer(busy[reason].status)
      const retryAfter = { 'retry-after': String(retryAfterSeconds) }
      const more = { ...cors.headersFor(request.headers.origin), ...retryAfter }
      const reply = problemReply(busy[reason], requestId)
      writeReply(response, reply, { requestId, isLast: false, more })
      if (!isShort(request)) void drainOrCut(request)
      else if (pauseMs > 0) leaveUnread(request.socket, pauseMs)
    }
  }
}

/** Its length is known and small, or there is no body. */
function isShort({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return false
  return Number(headers['content-length'] ?? 0) <= shortBodyBytes
}

/** What the caller sends meanwhile stays in the buffers of the kernel, and then he has to wait. */
function leaveUnread(socket: Socket, ms: number): void {
  // Once node:http is through with this request: it reads on by itself, to throw away its body.
  setImmediate(() => socket.pause())
  setTimeout(() => socket.resume(), Math.ceil(ms / pauseStepMs) * pauseStepMs)
}

async function drainOrCut(request: IncomingMessage): Promise<void> {
  if (!(await drain(request))) request.destroy()
}

function overloaded(detail: string): Problem {
  return new Problem('overloaded', { detail: `${detail} Send it again after Retry-After.` })
}
