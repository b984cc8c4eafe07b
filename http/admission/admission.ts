/** Admission control: admits, queues or sheds requests.
 *
 * In a busy process, every caller waits for all work in the current iteration of the event loop.
 * The process therefore alternates between handling admitted requests for a few milliseconds and
 * reading new ones. Requests that do not fit in a time slice are queued, round robin by
 * organization, or by network if the credential is unknown. A new request is rejected while the
 * queued requests of its caller wait too long, or while the whole queue is too slow.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { siteOf } from '../network-of.ts'
import { authorizationOf, knownCallers } from './known-callers.ts'
import type { KnownCallers } from './known-callers.ts'
import { createRejectionPace } from './rejection-pace.ts'
import { createScheduler } from './scheduler.ts'

export type Serve = (request: IncomingMessage, response: ServerResponse) => void

export interface Shed {
  /**
   * Why the request was rejected. `requests`: too many are in progress; `wait`: the queue is too
   * slow; `pipeline`: too many pipelined requests wait.
   */
  readonly reason: 'requests' | 'wait' | 'pipeline'
  /** Value of the Retry-After header. */
  readonly retryAfterSeconds: number
  /** Time in milliseconds for which reading from the caller pauses; 0 for no pause. */
  readonly pauseMs: number
}

export interface AdmissionOptions {
  /** Maximum number of requests in progress, including queued ones. */
  readonly requestsMax: number
  /**
   * Ends a request whose body arrives slowly.
   * @returns false if there is no such request
   */
  readonly makeRoom?: () => boolean
  readonly callers?: Pick<KnownCallers, 'organizationOf'>
  /**
   * Maximum time in milliseconds that a caller's oldest request waits in a long queue before the
   * caller's new requests are rejected.
   */
  readonly waitMsMax?: number
  /**
   * Length of a time slice in milliseconds, in which the process handles requests before it reads
   * new ones.
   */
  readonly sliceMs?: number
  readonly now?: () => number
}

export interface Admission {
  /** Serves the request now or later. Returns null, or the reason if the request is rejected. */
  admit(request: IncomingMessage, response: ServerResponse, serve: Serve): Shed | null
  /**
   * Records that a served request was answered. Must be called exactly once for each call to
   * `serve`.
   */
  leave(): void
  inProgress(): number
}

/**
 * Default of `waitMsMax`. It keeps all waits in a long, continuously served queue below three times
 * this value.
 */
const waitMsDefault = 100
/**
 * Maximum length of a short queue. Requests may wait longer in it, because a batch can take a
 * hundred times as long as a single decision.
 */
const shortQueue = 128
const shortQueueWaitMsMax = 2000
const sliceMsDefault = 2

export function createAdmission(options: AdmissionOptions): Admission {
  const { requestsMax, waitMsMax = waitMsDefault, makeRoom = () => false } = options
  const callers = options.callers ?? knownCallers
  const now = options.now ?? (() => performance.now())
  const pace = createRejectionPace()
  const sliceMs = options.sliceMs ?? sliceMsDefault
  const scheduler = createScheduler({ sliceMs, now, onEnd: () => pace.ignoreElapsed() })
  let inProgress = 0

  function reasonFor(at: number, caller: string): Shed['reason'] | null {
    if (inProgress >= requestsMax && !makeRoom()) return 'requests'
    const limitMs = scheduler.waiting() > shortQueue ? waitMsMax : shortQueueWaitMsMax
    const isSlow = scheduler.nextWaitedMs(at) > shortQueueWaitMsMax
    return isSlow || scheduler.waitedMs(at, caller) > limitMs ? 'wait' : null
  }

  return {
    admit: (request, response, serve) => {
      const at = now()
      scheduler.begin(at)
      pace.arrive(at)
      const { headers, socket } = request
      // An unverified credential does not identify a caller, because a caller could send a new one
      // each time.
      const organization = callers.organizationOf(authorizationOf(headers))
      const caller = organization ?? siteOf(socket.remoteAddress ?? '')
      const reason = reasonFor(at, caller)
      if (reason !== null) return { reason, ...pace.reject(at) }
      inProgress += 1
      scheduler.take(at, caller, () => {
        // The caller disconnected while its request was queued.
        if (request.destroyed) inProgress -= 1
        else serve(request, response)
      })
      return null
    },
    leave: () => void (inProgress -= 1),
    inProgress: () => inProgress
  }
}
