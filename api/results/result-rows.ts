/** The part of the route table about what evaluations come to: states, scores and runs. */
import { cancelRunOperation } from './runs/cancel-run.operation.ts'
import { listRunsOperation } from './runs/list-runs.operation.ts'
import { listScoresOperation } from './scores/list-scores.operation.ts'
import { pushScoresOperation } from './scores/push-scores.operation.ts'
import { readDecisionScoresOperation } from './scores/read-decision-scores.operation.ts'
import { readHealthOperation } from './read-health.operation.ts'
import { readRunOperation } from './runs/read-run.operation.ts'
import { readStatusesOperation } from './read-statuses.operation.ts'
import { replayRunsOperation } from './runs/replay-runs.operation.ts'
import { summarizeScoresOperation } from './scores/summarize-scores.operation.ts'
import type { Guards, Row } from '../../auth/guards.ts'
import type { PrincipalHandle, SessionHandle } from '../../http/route.ts'

export interface ResultHandlers {
  readonly readStatuses: PrincipalHandle
  /** Of one decision. */
  readonly scoresOf: PrincipalHandle
  readonly listScores: PrincipalHandle
  readonly summarize: SessionHandle
  readonly pushScores: PrincipalHandle
  readonly listRuns: PrincipalHandle
  readonly readRun: PrincipalHandle
  readonly replayRuns: SessionHandle
  readonly cancelRun: SessionHandle
  readonly readHealth: PrincipalHandle
}

export function resultRows(to: ResultHandlers, guards: Guards): readonly Row[] {
  const { session, sessionAs, sessionOr } = guards
  const member = sessionAs('member')
  const reader = sessionOr('evaluation:read')
  const writer = sessionOr(['evaluation:write', 'feedback:write'])
  // prettier-ignore
  return [
    ['post', '/v1/evaluation/status',              reader(readStatusesOperation, to.readStatuses)],
    ['get',  '/v1/evaluation/scores',              reader(listScoresOperation, to.listScores)],
    ['post', '/v1/evaluation/scores',              writer(pushScoresOperation, to.pushScores)],
    ['get',  '/v1/evaluation/scores/summary',      session(summarizeScoresOperation, to.summarize)],
    ['get',  '/v1/evaluation/runs',                reader(listRunsOperation, to.listRuns)],
    ['post', '/v1/evaluation/runs/replay',         member(replayRunsOperation, to.replayRuns)],
    ['get',  '/v1/evaluation/runs/:run_id',        reader(readRunOperation, to.readRun)],
    ['post', '/v1/evaluation/runs/:run_id/cancel', member(cancelRunOperation, to.cancelRun)],
    ['get',  '/v1/evaluation/health',              reader(readHealthOperation, to.readHealth)],
    ['get',  '/v1/evaluation/:decision_id/scores', reader(readDecisionScoresOperation, to.scoresOf)]
  ]
}
