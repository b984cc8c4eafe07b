/** The handlers of everything that is stored of decisions. */
import type { DecisionHandlers } from './decision-rows.ts'
import { createDeleteDecision, createRequestDeletion } from './deletions/deletions.ts'
import { createGiveFeedback } from './give-feedback.ts'
import { createListDecisions, createSearchDecisions } from './list/list-decisions.ts'
import { createListSessions, createReadSession } from './sessions/list-sessions.ts'
import { createReadContext } from './sessions/read-context.ts'
import { createReadDecision } from './read-decision.ts'
import type { ReadDependencies } from './read-decision.ts'
import { createReadFacets } from './read-facets.ts'
import { createListDeletions, createShowDeletion } from './deletions/show-deletions.ts'

export function createDecisions(dependencies: ReadDependencies): DecisionHandlers {
  return {
    listDecisions: createListDecisions(dependencies),
    searchDecisions: createSearchDecisions(dependencies),
    readDecision: createReadDecision(dependencies),
    readContext: createReadContext(dependencies),
    giveFeedback: createGiveFeedback(dependencies),
    listDecisionSessions: createListSessions(dependencies),
    readDecisionSession: createReadSession(dependencies),
    readFacets: createReadFacets(dependencies),
    deleteDecision: createDeleteDecision(dependencies),
    requestDeletion: createRequestDeletion(dependencies),
    listDeletions: createListDeletions(dependencies),
    showDeletion: createShowDeletion(dependencies)
  }
}
