/** The `wait` and `until` of a read: how long a caller waits, and for what. */
import { isEvaluationOver } from '../core/evaluation/evaluation-status.ts'
import type { JsonSchema } from '../platform/validation/json-schema.ts'
import type { Call } from '../http/call.ts'
import { evaluationViewOf } from './evaluation-view.ts'
import type { KnownEvaluation } from './read-evaluations.ts'

export type Until = 'stored' | 'first_score' | 'evaluated'

const waitSecondsMax = 30

/** `wait` as a query parameter, in whole seconds. */
export function waitParameter(description: string): JsonSchema {
  return { type: 'integer', minimum: 0, maximum: waitSecondsMax, default: 0, description }
}

/** The query of a read that can wait; its defaults are filled in before the handler runs. */
export function waitQuerySchema(untilDefault: Until): JsonSchema {
  return {
    type: 'object',
    properties: {
      wait: waitParameter(
        'Whole seconds to wait; when they are over the answer is what exists by then.'
      ),
      until: {
        type: 'string',
        enum: ['stored', 'first_score', 'evaluated'],
        default: untilDefault,
        description:
          '`stored`: the decision can be read. `first_score`: it has a score, or none will come. ' +
          '`evaluated`: every planned run has ended.'
      }
    },
    additionalProperties: false
  }
}

export function waitOf(query: Call['query']): { readonly waitMs: number; readonly until: Until } {
  const { wait, until } = query as { wait: number; until: Until }
  return { waitMs: wait * 1000, until }
}

/** Whether a stored decision that is evaluated so far is what the caller waits for. */
export function isReached(until: Until, known: KnownEvaluation): boolean {
  if (until === 'stored') return true
  const { status, scores } = evaluationViewOf(known)
  const isOver = isEvaluationOver(status)
  return until === 'evaluated' ? isOver : isOver || Object.keys(scores).length > 0
}
