/** The handlers of everything that evaluations come to. */
import type { ResultHandlers } from '../../result-rows.ts'
import type { ReadDependencies } from '../read-decision.ts'
import { createListScores } from './list-scores.ts'
import type { ListResultsDependencies } from './list-scores.ts'
import { createPushScores } from './push-scores.ts'
import { createReadDecisionScores } from './read-decision-scores.ts'
import { createReadStatuses } from './read-statuses.ts'
import { createSummarizeScores } from './summarize-scores.ts'

export type ResultDependencies = ReadDependencies & ListResultsDependencies

export function createResults(dependencies: ResultDependencies): ResultHandlers {
  return {
    readStatuses: createReadStatuses(dependencies),
    readDecisionScores: createReadDecisionScores(dependencies),
    listScores: createListScores(dependencies),
    summarizeScores: createSummarizeScores(dependencies),
    pushScores: createPushScores(dependencies)
  }
}
