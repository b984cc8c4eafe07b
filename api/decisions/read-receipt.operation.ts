/** What a caller needs to know of `GET /v1/ingest/{decision_id}`. */
import type { Operation } from '../../http/route.ts'
import { decisionIdParams, objectOf, time, uuid } from '../response-schemas.ts'
import { waitParameter } from '../wait-until.ts'

export const readReceiptOperation: Operation = {
  operation_id: 'readReceipt',
  tag: 'ingest',
  summary: 'Ask whether a decision is stored',
  description:
    'For the key that sends: no session is needed, and nothing of the decision is told. An id ' +
    'that is not stored yet is 404 with `retryable: true` while storage has not caught up with ' +
    'this request; `wait` saves the asking again.',
  params: decisionIdParams,
  query: {
    type: 'object',
    properties: {
      wait: waitParameter('Whole seconds to wait for it to be stored.')
    },
    additionalProperties: false
  },
  response: {
    200: {
      description: 'It is stored.',
      schema: objectOf({ decision_id: uuid, state: { const: 'stored' }, stored_at: time }),
      example: {
        decision_id: '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55',
        state: 'stored',
        stored_at: '2026-01-31T12:00:00.190Z'
      }
    }
  },
  problems: [
    'api_key_required',
    'api_key_malformed',
    'api_key_invalid',
    'scope_missing',
    'decision_not_found',
    'invalid_query',
    'authentication_unavailable',
    'overloaded',
    'store_unavailable'
  ]
}
