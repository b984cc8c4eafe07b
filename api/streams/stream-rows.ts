/** The part of the route table whose answers are written as long as there is something to tell. */
import { exportDecisionsOperation } from './export/export-decisions.operation.ts'
import { issueTailTicketOperation } from './tail/tail-tickets.operation.ts'
import { tailByTicketOperation, tailOperation } from './tail/tail.operation.ts'
import type { Guarded, Guards, Row } from '../../auth/guards.ts'
import type { PublicHandle, SessionHandle } from '../../http/route.ts'

export interface StreamHandlers {
  readonly tail: SessionHandle
  readonly tailByTicket: PublicHandle
  readonly issueTailTicket: SessionHandle
  readonly exportDecisions: SessionHandle
}

/** In front of the row whose last part is any id. */
export function streamRows(to: StreamHandlers, guards: Guards): readonly Row[] {
  const { session, sessionAs } = guards
  const member = sessionAs('member')
  const exported = member(exportDecisionsOperation, to.exportDecisions)
  // prettier-ignore
  return [
    ['get',  '/v1/decisions/tail',         tailBySessionOrTicket(to, guards)],
    ['post', '/v1/decisions/tail-tickets', session(issueTailTicketOperation, to.issueTailTicket)],
    ['get',  '/v1/decisions/export',       exported]
  ]
}

/** A ticket stands for the session that asked for it. */
function tailBySessionOrTicket(to: StreamHandlers, { session, anyone }: Guards): Guarded {
  const bySession = session(tailOperation, to.tail)
  const byTicket = anyone(tailByTicketOperation, to.tailByTicket)
  return {
    ...bySession,
    handle: (call) => (call.query['ticket'] === undefined ? bySession : byTicket).handle(call)
  }
}
