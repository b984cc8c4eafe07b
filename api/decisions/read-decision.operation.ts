/** What a caller needs to know of `GET /v1/decisions/{decision_id}`. */
import type { Operation } from '../../http/route.ts'
import { decisionIdParams, evaluationStatus, integerOrNull, objectOf } from '../response-schemas.ts'
import { scores, scoresExample, textOrNull, time, uuid, verdict } from '../response-schemas.ts'
import { run } from '../results/read-evaluation.operation.ts'
import { waitQuerySchema } from '../wait-until.ts'

const waitQuery = waitQuerySchema('stored')

export const readDecisionOperation: Operation = {
  operation_id: 'readDecision',
  tag: 'decisions',
  summary: 'Read one decision',
  description:
    'Answers the decision as it was sent: `input`, `output` and `metadata` are the texts ' +
    'themselves, with all digits of numbers and the order of keys. An id that is not stored yet ' +
    'is 404 with `retryable: true` while storage has not caught up with this request; `wait` ' +
    'saves the asking again. An id of another organization is answered like one that does not ' +
    'exist.',
  params: decisionIdParams,
  query: {
    ...waitQuery,
    properties: {
      ...(waitQuery['properties'] as object),
      include: {
        type: 'array',
        items: { enum: ['runs'] },
        maxItems: 1,
        description: '`runs`: all of them, as `evaluation.runs`.'
      }
    }
  },
  headers: {
    'If-None-Match': {
      description: 'The `ETag` of an answer: while nothing has changed it is 304, without a body.',
      example: '"fHcMB2rMoJ1sVpx0BzD0xVsoNKY"'
    }
  },
  response: {
    200: {
      description: 'The decision, and its evaluation as far as it has come.',
      headers: { ETag: 'Of the whole answer: another one when anything of it has changed.' },
      schema: objectOf({
        decision_id: uuid,
        received_at: time,
        stored_at: time,
        input: { description: 'Any JSON value, as it was sent.' },
        output: { type: 'string' },
        agent_id: textOrNull,
        session_id: textOrNull,
        domain: textOrNull,
        metadata: { type: ['object', 'null'] },
        input_tokens: integerOrNull,
        output_tokens: integerOrNull,
        sdk_version: textOrNull,
        evaluation: {
          ...objectOf({ status: evaluationStatus, verdict, scores }),
          properties: {
            ...{ status: evaluationStatus, verdict, scores },
            runs: { type: 'array', items: run }
          }
        }
      }),
      example: {
        decision_id: '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55',
        received_at: '2026-01-31T12:00:00.120Z',
        stored_at: '2026-01-31T12:00:00.190Z',
        input: { messages: [{ role: 'user', content: 'May I have a refund?' }] },
        output: 'Yes: it arrived damaged, and you asked within 30 days.',
        agent_id: 'refund-agent',
        session_id: 'ticket-8812',
        domain: 'refunds',
        metadata: { model: 'small-1', agent_version: '2.3.0' },
        input_tokens: 31,
        output_tokens: 14,
        sdk_version: null,
        evaluation: { status: 'evaluated', verdict: 'pass', scores: scoresExample }
      }
    }
  },
  problems: [
    'session_required',
    'session_invalid',
    'decision_not_found',
    'invalid_query',
    'overloaded',
    'store_unavailable'
  ]
}
