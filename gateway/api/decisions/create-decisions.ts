/** The handlers of everything that is stored of decisions. */
import type { DecisionHandlers } from '../../decision-rows.ts'
import { createListDecisions, createSearchDecisions } from './list-decisions.ts'
import { createReadDecision } from './read-decision.ts'
import type { ReadDependencies } from './read-decision.ts'

export function createDecisions(dependencies: ReadDependencies): DecisionHandlers {
  return {
    listDecisions: createListDecisions(dependencies),
    searchDecisions: createSearchDecisions(dependencies),
    readDecision: createReadDecision(dependencies)
  }
}
