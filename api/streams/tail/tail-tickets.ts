/** POST /v1/decisions/tail-tickets: lets a browser open a tail, which cannot send a header. */
import { createHash, randomBytes } from 'node:crypto'
import { Problem } from '../../../core/problem.ts'
import type { OneTimeValues } from '../../../platform/redis/one-time-values.ts'
import { jsonReply } from '../../../http/call.ts'
import type { PublicHandle, SessionHandle } from '../../../http/route.ts'
import { lastEventIdOf } from './tail.ts'
import type { OpenTail, TailDependencies, TailRequest } from './tail.ts'

/** In an address, where it may be written down: so it is short-lived and good for one tail. */
export const ticketSeconds = 30
export const ticketExpression = '^slt_[A-Za-z0-9_-]{43}$'
const secretBytes = 32
const retryAfterSeconds = '2'

type Ticket = Pick<TailRequest, 'principal' | 'filters'>

export function createIssueTailTicket(values: OneTimeValues): SessionHandle {
  return async function issueTailTicket({ principal, body }) {
    const ticket = `slt_${randomBytes(secretBytes).toString('base64url')}`
    const kept: Ticket = { principal, filters: body as Ticket['filters'] }
    await refuseOutage(values.put(keyOf(ticket), JSON.stringify(kept), ticketSeconds))
    return jsonReply(201, JSON.stringify({ ticket, expires_in: ticketSeconds }))
  }
}

export interface TailByTicketDependencies extends Pick<TailDependencies, 'liveSessions'> {
  readonly oneTimeValues: OneTimeValues
  readonly openTail: OpenTail
}

/** The session may have ended since it asked, and what stands for it is worth nothing more then. */
export function createTailByTicket(dependencies: TailByTicketDependencies): PublicHandle {
  const { oneTimeValues: values, openTail, liveSessions } = dependencies

  return async function tailByTicket({ headers, query }) {
    const { ticket, last_event_id } = query as { ticket: string; last_event_id?: string }
    const kept = await refuseOutage(values.take(keyOf(ticket)))
    if (kept === null) throw ticketInvalid()
    const { principal, filters } = JSON.parse(kept) as Ticket
    if ((await liveSessions.roleOf(principal)) === null) throw ticketInvalid()
    return openTail({ principal, filters, lastEventId: lastEventIdOf(headers, last_event_id) })
  }
}

/** Whoever reads Redis gets no ticket. */
function keyOf(ticket: string): string {
  return `tail-ticket:${createHash('sha256').update(ticket).digest('base64url')}`
}

function ticketInvalid(): Problem {
  return new Problem('ticket_invalid', {
    detail: `A ticket is good once, for ${ticketSeconds} s; POST /v1/decisions/tail-tickets anew.`,
    headers: { 'www-authenticate': 'Bearer' }
  })
}

async function refuseOutage<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (cause) {
    throw new Problem('store_unavailable', {
      detail: 'Tickets cannot be kept now: Redis does not answer. A session header needs none.',
      headers: { 'retry-after': retryAfterSeconds },
      cause
    })
  }
}
