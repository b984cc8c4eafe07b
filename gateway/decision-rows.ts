/** The rows of decisions: what is stored of them, as people look at it. */
import { listDecisionsOperation } from './api/decisions/list-decisions.operation.ts'
import { searchDecisionsOperation } from './api/decisions/list-decisions.operation.ts'
import { readDecisionOperation } from './api/decisions/read-decision.operation.ts'
import type { Guards, Row } from './guards.ts'
import type { SessionHandle } from './route.ts'

export interface DecisionHandlers {
  readonly listDecisions: SessionHandle
  readonly searchDecisions: SessionHandle
  readonly readDecision: SessionHandle
}

const all = '/v1/decisions'
const one = `${all}/:decision_id`

// prettier-ignore
export function decisionRows(to: DecisionHandlers, { session }: Guards): readonly Row[] {
  return [
    ['get',    all,             session(listDecisionsOperation, to.listDecisions)],
    ['post',   `${all}/search`, session(searchDecisionsOperation, to.searchDecisions)]
  ]
}

/** Behind all others of the area: any word could be an id. */
// prettier-ignore
export function oneDecisionRows(to: DecisionHandlers, { session }: Guards): readonly Row[] {
  return [
    ['get',    one,             session(readDecisionOperation, to.readDecision)]
  ]
}
