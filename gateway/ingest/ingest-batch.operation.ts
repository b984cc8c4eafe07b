/** What a caller needs to know of `POST /v1/ingest/batch`. */
import type { JsonSchema } from '../../platform/validation/json-schema.ts'
import { clientReportSchema, decisionBodySchema } from '../../schemas/index.ts'
import { embedded } from '../../http/embedded.ts'
import { itemProblemSchema } from '../../http/reply/problem-schema.ts'
import type { Operation } from '../../http/route.ts'
import { idempotencyKeyHeader, ingestHeaders, ingestOperation } from './ingest.operation.ts'
import { itemsMax } from './parse-batch.ts'

const decision = embedded(decisionBodySchema)
/** What is no report is counted as such and harms nothing, so any value is taken. */
const clientReport: JsonSchema = {
  description:
    'What an SDK dropped before it could be sent: `{"dropped": {"queue_full": 3}}`. Counted ' +
    `under ${Object.keys(clientReportSchema.properties.dropped.properties).join(', ')} and other.`
}

const queued: JsonSchema = {
  type: 'object',
  required: ['index', 'decision_id', 'queued'],
  properties: {
    index: { type: 'integer', description: 'Which item of the request, from 0.' },
    decision_id: { type: 'string', format: 'uuid' },
    queued: { const: true }
  },
  additionalProperties: false
}

const refused: JsonSchema = {
  type: 'object',
  required: ['index', 'decision_id', 'queued', 'retryable', 'problem'],
  properties: {
    index: { type: 'integer' },
    decision_id: {
      type: ['string', 'null'],
      format: 'uuid',
      description: 'Send the item again with it; null when none is known.'
    },
    queued: { const: false },
    retryable: { type: 'boolean', description: 'Whether this item may succeed later, unchanged.' },
    problem: itemProblemSchema
  },
  additionalProperties: false
}

const id = '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55'

export const ingestBatchOperation: Operation = {
  operation_id: 'ingestBatch',
  tag: 'ingest',
  summary: 'Send up to 1,000 decisions',
  description:
    'Each item is judged by itself, and each has a result in the order sent: one bad item never ' +
    'spoils its neighbours. Send again the items that say `retryable`, with their `decision_id`. ' +
    'When the limit is reached, the first items that fit are taken. Where no valid item could be ' +
    'taken, the answer is 429 or 503 and carries the `results` as well. A 429 without `results` ' +
    'means that the limit had nothing left and the body was not read: send it again later. ' +
    'An item that is refused for good takes one point for each started 64 KiB of its text.',
  headers: idempotencyKeyHeader,
  body: {
    schema: {
      type: 'object',
      anyOf: [
        { required: ['decisions'], properties: { decisions: { minItems: 1 } } },
        { required: ['client_report'], properties: { client_report: {} } }
      ],
      properties: {
        decisions: { type: 'array', maxItems: itemsMax, items: decision },
        client_report: clientReport
      }
    },
    example: {
      decisions: [
        { input: { question: '2+2?' }, output: '4', agent_id: 'sums' },
        { input: { question: '3+3?' }, output: '6', agent_id: 'sums' }
      ]
    },
    lines: '{"input":1,"output":"one"}\n{"input":2,"output":"two"}\n'
  },
  response: {
    202: {
      description: 'The log has all of them.',
      schema: resultsOf(queued),
      example: { results: [{ index: 0, decision_id: id, queued: true }] },
      headers: ingestHeaders
    },
    207: {
      description: 'The log has those that say `queued: true`.',
      schema: resultsOf({ oneOf: [queued, refused] }),
      example: {
        results: [
          { index: 0, decision_id: id, queued: true },
          {
            index: 1,
            decision_id: null,
            queued: false,
            retryable: false,
            problem: {
              type: 'urn:sluice:problem:invalid_decision',
              title: 'The decision is not valid',
              status: 422,
              detail: '/output is required.',
              code: 'invalid_decision',
              errors: [{ pointer: '/output', detail: 'is required' }]
            }
          }
        ]
      },
      headers: {
        ...ingestHeaders,
        'Retry-After': 'Whole seconds to wait before the retryable items are sent again.'
      }
    }
  },
  problems: [
    ...ingestOperation.problems.filter((code) => code !== 'invalid_decision'),
    'invalid_batch'
  ]
}

function resultsOf(items: JsonSchema): JsonSchema {
  return {
    type: 'object',
    required: ['results'],
    properties: { results: { type: 'array', items } },
    additionalProperties: false
  }
}
