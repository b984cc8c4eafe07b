/** The rows of decisions: what is stored of them, as people look at it, and its deletion. */
import * as deletions from './deletions/deletion.operation.ts'
import { giveFeedbackOperation, readFacetsOperation } from './facet.operation.ts'
import { listDecisionsOperation } from './list/list-decisions.operation.ts'
import { searchDecisionsOperation } from './list/list-decisions.operation.ts'
import { readDecisionOperation } from './read-decision.operation.ts'
import * as sessions from './sessions/session.operation.ts'
import type { Guards, Row } from '../../auth/guards.ts'
import type { SessionHandle } from '../../http/route.ts'

export interface DecisionHandlers {
  readonly listDecisions: SessionHandle
  readonly searchDecisions: SessionHandle
  readonly readDecision: SessionHandle
  readonly readContext: SessionHandle
  readonly giveFeedback: SessionHandle
  readonly listDecisionSessions: SessionHandle
  readonly readDecisionSession: SessionHandle
  readonly readFacets: SessionHandle
  readonly deleteDecision: SessionHandle
  readonly requestDeletion: SessionHandle
  readonly listDeletions: SessionHandle
  readonly showDeletion: SessionHandle
}

const all = '/v1/decisions'
const one = `${all}/:decision_id`
const gone = `${all}/deletions`
const together = `${all}/sessions`
const ordered = `${together}/:session_id`

// prettier-ignore
export function decisionRows(to: DecisionHandlers, guards: Guards): readonly Row[] {
  const { session, sessionAs } = guards
  const admin = sessionAs('admin')
  return [
    ['get',    all,             session(listDecisionsOperation, to.listDecisions)],
    ['post',   `${all}/search`, session(searchDecisionsOperation, to.searchDecisions)],
    ['get',    `${all}/facets`, session(readFacetsOperation, to.readFacets)],
    ['get',    together,        session(sessions.listSessionsOperation, to.listDecisionSessions)],
    ['get',    ordered, session(sessions.readSessionOperation, to.readDecisionSession)],
    ['get',    gone,            admin(deletions.listDeletionsOperation, to.listDeletions)],
    ['post',   gone,            admin(deletions.requestDeletionOperation, to.requestDeletion)],
    ['get',    `${gone}/:deletion_id`, admin(deletions.showDeletionOperation, to.showDeletion)]
  ]
}

/** Behind all others of the area: any word could be an id. */
// prettier-ignore
export function oneDecisionRows(to: DecisionHandlers, guards: Guards): readonly Row[] {
  const { session, sessionAs } = guards
  const member = sessionAs('member')
  const admin = sessionAs('admin')
  return [
    ['get',    one,               session(readDecisionOperation, to.readDecision)],
    ['delete', one,               admin(deletions.deleteDecisionOperation, to.deleteDecision)],
    ['get',    `${one}/context`,  session(sessions.readContextOperation, to.readContext)],
    ['post',   `${one}/feedback`, member(giveFeedbackOperation, to.giveFeedback)]
  ]
}
