/** The handlers of everything that evaluations come to. */
import type { ResultHandlers } from './result-rows.ts'
import type { ReadDependencies } from '../decisions/read-decision.ts'
import { createCancelRun } from './runs/cancel-run.ts'
import { createListRuns } from './runs/list-runs.ts'
import { createListScores } from './scores/list-scores.ts'
import type { ListResultsDependencies } from './scores/list-scores.ts'
import { createPushScores } from './scores/push-scores.ts'
import { createReadDecisionScores } from './scores/read-decision-scores.ts'
import { createReadHealth } from './read-health.ts'
import { createReadRun } from './runs/read-run.ts'
import { createReadStatuses } from './read-statuses.ts'
import { createReplayRuns } from './runs/replay-runs.ts'
import { createSummarizeScores } from './scores/summarize-scores.ts'

export type ResultDependencies = ReadDependencies & ListResultsDependencies

export function createResults(dependencies: ResultDependencies): ResultHandlers {
  return {
    readStatuses: createReadStatuses(dependencies),
    scoresOf: createReadDecisionScores(dependencies),
    listScores: createListScores(dependencies),
    summarize: createSummarizeScores(dependencies),
    pushScores: createPushScores(dependencies),
    listRuns: createListRuns(dependencies),
    readRun: createReadRun(dependencies),
    replayRuns: createReplayRuns(dependencies),
    cancelRun: createCancelRun(dependencies),
    readHealth: createReadHealth(dependencies)
  }
}
