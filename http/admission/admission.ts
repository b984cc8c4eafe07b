/** Whom the gateway takes in, and when: requests have their turn, and those beyond it a refusal.
 *
 * While the process is busy, whatever it does at once makes everybody wait, a refusal too. So it
 * works on what it took for a few milliseconds, then looks what has come, and so on. Requests that
 * come while there is no time are queued, round robin by organization, or by network where the
 * credential is not known. While the requests of a caller
 * wait too long, its new requests are rejected.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { siteOf } from '../network-of.ts'
import { knownCallers } from './known-callers.ts'
import type { KnownCallers } from './known-callers.ts'
import { createRefusalPace } from './refusal-pace.ts'
import { createTurns } from './turns.ts'

export type Serve = (request: IncomingMessage, response: ServerResponse) => void

export interface Shed {
  /** Too many are in progress, the line is too long, or too many wait behind another. */
  readonly reason: 'requests' | 'wait' | 'pipeline'
  /** When it is worth another try. */
  readonly retryAfterSeconds: number
  /** So long the caller is best left unread. */
  readonly pauseMs: number
}

export interface AdmissionOptions {
  /** Requests taken and not answered yet, those in line included. */
  readonly requestsMax: number
  /** Ends a request that waits for its caller. @returns false when there is none */
  readonly makeRoom?: () => boolean
  readonly callers?: Pick<KnownCallers, 'organizationOf'>
  /** Nobody joins a long line whose first has waited longer. */
  readonly waitMsMax?: number
  /** How long the process works on requests before it looks who has come. */
  readonly turnMs?: number
  readonly now?: () => number
}

export interface Admission {
  /** Serves the request now or in its turn; otherwise says why it is to be refused. */
  admit(request: IncomingMessage, response: ServerResponse, serve: Serve): Shed | null
  /** Each request that was admitted has been answered. */
  leave(): void
  inProgress(): number
}

/** A long line that is served all the time and this slow holds nobody three times as long. */
const waitMsDefault = 100
/** A short line may be slower: its requests are large; a batch takes a hundred times as long. */
const shortLine = 128
const shortLineWaitMsMax = 2000
const turnMsDefault = 2

export function createAdmission(options: AdmissionOptions): Admission {
  const { requestsMax, waitMsMax = waitMsDefault, makeRoom = () => false } = options
  const callers = options.callers ?? knownCallers
  const now = options.now ?? (() => performance.now())
  const pace = createRefusalPace()
  const turnMs = options.turnMs ?? turnMsDefault
  const turns = createTurns({ turnMs, now, onEnd: () => pace.pause() })
  let inProgress = 0

  function reasonFor(at: number, caller: string): Shed['reason'] | null {
    if (inProgress >= requestsMax && !makeRoom()) return 'requests'
    const limitMs = turns.waiting() > shortLine ? waitMsMax : shortLineWaitMsMax
    const isSlow = turns.turnWaitedMs(at) > shortLineWaitMsMax
    return isSlow || turns.waitedMs(at, caller) > limitMs ? 'wait' : null
  }

  return {
    admit: (request, response, serve) => {
      const at = now()
      turns.begin(at)
      pace.arrive(at)
      const { headers, socket } = request
      // A credential that nobody has verified could be a new one each time.
      const organization = callers.organizationOf(headers.authorization)
      const caller = organization ?? siteOf(socket.remoteAddress ?? '')
      const reason = reasonFor(at, caller)
      if (reason !== null) return { reason, ...pace.refuse(at) }
      inProgress += 1
      turns.take(at, caller, () => {
        // Who hung up while he waited is not worth the work.
        if (request.destroyed) inProgress -= 1
        else serve(request, response)
      })
      return null
    },
    leave: () => void (inProgress -= 1),
    inProgress: () => inProgress
  }
}
