/** Describes `POST /v1/ingest` for OpenAPI. */
import { decisionBodySchema } from '../../schemas/index.ts'
import { idempotencyKeyPattern } from './idempotent-id.ts'
import type { Operation } from '../../http/route.ts'
import { withExample } from '../../http/schema.ts'

export const ingestHeaders = {
  RateLimit: 'The remaining quota under the tightest policy: `"organization";r=…;t=…`.',
  'RateLimit-Policy': 'The tightest policy: `"organization";q=…;w=…`.'
}

export const idempotencyKeyHeader = {
  'Idempotency-Key': {
    description:
      'A quoted string of 1 to 255 characters. A decision without a `decision_id` gets the ' +
      'same `decision_id` for the same key, so that retries store it once.',
    example: '"ticket-8812/3"',
    pattern: idempotencyKeyPattern
  }
}

export const ingestOperation: Operation = {
  operation_id: 'ingestDecision',
  tag: 'ingest',
  summary: 'Send a decision',
  description:
    'Returns 202 only after every in-sync replica in Kafka has the decision. A 503 that ' +
    'carries a `decision_id` means that the write failed or its result is unknown; retry ' +
    'with the same `decision_id`, and the decision is stored once. A request that cannot ' +
    'succeed unchanged costs one point of the rate limit for each started 64 KiB of its ' +
    'body. If the rate limit is used up, the response is 429 and the body is not read.',
  headers: idempotencyKeyHeader,
  body: {
    schema: withExample(decisionBodySchema, {
      input: { messages: [{ role: 'user', content: 'May I have a refund for order 1017?' }] },
      output: 'Yes: it arrived damaged, and you asked within 30 days.',
      agent_id: 'refund-agent',
      session_id: 'ticket-8812',
      domain: 'refunds',
      metadata: { model: 'small-1', agent_version: '2.3.0' },
      input_tokens: 31,
      output_tokens: 14
    })
  },
  response: {
    202: {
      description: 'Kafka has acknowledged the decision. It will be stored and evaluated.',
      schema: withExample(
        {
          type: 'object',
          required: ['decision_id', 'queued'],
          properties: {
            decision_id: { type: 'string', format: 'uuid' },
            queued: { const: true }
          },
          additionalProperties: false
        },
        { decision_id: '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55', queued: true }
      ),
      headers: ingestHeaders
    }
  },
  problems: [
    'malformed_json',
    'malformed_encoding',
    'malformed_request',
    'api_key_required',
    'api_key_malformed',
    'api_key_invalid',
    'scope_missing',
    'body_timeout',
    'payload_too_large',
    'unsupported_media_type',
    'invalid_decision',
    'rate_limited',
    'authentication_unavailable',
    'schema_unavailable',
    'log_unavailable',
    'overloaded'
  ]
}
