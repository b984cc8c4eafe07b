/** Describes `POST /v1/ingest/batch` for OpenAPI. */
import type { JsonSchema } from '../../platform/validation/json-schema.ts'
import { clientReportSchema, decisionBodySchema } from '../../schemas/index.ts'
import { embedded } from '../../http/embedded.ts'
import { itemProblemSchema } from '../../http/reply/problem-schema.ts'
import type { Operation } from '../../http/route.ts'
import { idempotencyKeyHeader, ingestHeaders, ingestOperation } from './ingest.operation.ts'
import { itemsMax } from './parse-batch.ts'
import { schemaFor, withExample } from '../../http/schema.ts'

const decision = embedded(decisionBodySchema)
/**
 * Accepts any value, because a malformed report is only counted and must not cause the batch to be
 * rejected.
 */
const clientReport: JsonSchema = {
  description:
    'Decisions that an SDK dropped before sending: `{"dropped": {"queue_full": 3}}`. ' +
    'Counted under ' +
    `${Object.keys(clientReportSchema.properties.dropped.properties).join(', ')} and other.`
}

const queued: JsonSchema = {
  type: 'object',
  required: ['index', 'decision_id', 'queued'],
  properties: {
    index: { type: 'integer', description: 'The index of the item in the request, from 0.' },
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
      description: 'Retry the item with this id. Null when the id is unknown.'
    },
    queued: { const: false },
    retryable: { type: 'boolean', description: 'Whether the same item may succeed later.' },
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
    'Validates each item on its own and returns one result for each, in the order sent. A ' +
    'rejected item does not affect the others. Retry the items that are marked `retryable` ' +
    'with their `decision_id`. If the rate limit is reached, the first items that fit are ' +
    'accepted. If no valid item was accepted, the response is 429 or 503 and carries the ' +
    '`results` as well. A 429 without `results` means that the rate limit was already used ' +
    'up and the body was not read; retry later. An item that cannot succeed unchanged costs ' +
    'one point of the rate limit for each started 64 KiB of its text.',
  headers: idempotencyKeyHeader,
  body: {
    schema: schemaFor({
      type: 'object',
      anyOf: [
        { required: ['decisions'], properties: { decisions: { minItems: 1 } } },
        { required: ['client_report'], properties: { client_report: {} } }
      ],
      properties: {
        decisions: { type: 'array', maxItems: itemsMax, items: decision },
        client_report: clientReport
      },
      example: {
        decisions: [
          { input: { question: '2+2?' }, output: '4', agent_id: 'sums' },
          { input: { question: '3+3?' }, output: '6', agent_id: 'sums' }
        ]
      }
    }),
    lines: '{"input":1,"output":"one"}\n{"input":2,"output":"two"}\n'
  },
  response: {
    202: {
      description: 'Kafka has acknowledged all items.',
      schema: withExample(resultsOf(queued), {
        results: [{ index: 0, decision_id: id, queued: true }]
      }),
      headers: ingestHeaders
    },
    207: {
      description: 'Kafka has acknowledged the items with `queued: true`.',
      schema: withExample(resultsOf({ oneOf: [queued, refused] }), {
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
      }),
      headers: {
        ...ingestHeaders,
        'Retry-After': 'Whole seconds to wait before retrying the retryable items.'
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
