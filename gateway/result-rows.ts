/** The part of the route table about what evaluations come to: states, scores and runs. */
import { listScoresOperation } from './api/results/list-scores.operation.ts'
import { pushScoresOperation } from './api/results/push-scores.operation.ts'
import { readDecisionScoresOperation } from './api/results/read-decision-scores.operation.ts'
import { readStatusesOperation } from './api/results/read-statuses.operation.ts'
import { summarizeScoresOperation } from './api/results/summarize-scores.operation.ts'
import type { Guards, Row } from './guards.ts'
import type { PrincipalHandle, SessionHandle } from './route.ts'

export interface ResultHandlers {
  readonly readStatuses: PrincipalHandle
  readonly readDecisionScores: PrincipalHandle
  readonly listScores: PrincipalHandle
  readonly summarizeScores: SessionHandle
  readonly pushScores: PrincipalHandle
}

export function resultRows(to: ResultHandlers, { session, sessionOr }: Guards): readonly Row[] {
  const reader = sessionOr('evaluation:read')
  const writer = sessionOr('evaluation:write')
  // prettier-ignore
  return [
    ['post', '/v1/evaluation/status',              reader(readStatusesOperation, to.readStatuses)],
    ['get',  '/v1/evaluation/scores',              reader(listScoresOperation, to.listScores)],
    ['post', '/v1/evaluation/scores',              writer(pushScoresOperation, to.pushScores)],
    ['get',  '/v1/evaluation/scores/summary',      session(summarizeScoresOperation, to.summarizeScores)],
    ['get',  '/v1/evaluation/:decision_id/scores', reader(readDecisionScoresOperation, to.readDecisionScores)]
  ]
}
