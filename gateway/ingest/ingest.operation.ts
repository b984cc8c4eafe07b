/** What a caller needs to know of `POST /v1/ingest`. */
import { decisionBodySchema } from '../../schemas/index.ts'
import { idempotencyKeyPattern } from './idempotent-id.ts'
import type { Operation } from '../../http/route.ts'

export const ingestHeaders = {
  RateLimit: 'What may still be sent under the tightest policy: `"organization";r=…;t=…`.',
  'RateLimit-Policy': 'That policy: `"organization";q=…;w=…`.'
}

export const idempotencyKeyHeader = {
  'Idempotency-Key': {
    description:
      'A quoted string of 1 to 255 characters. The same key gives a decision without an id of ' +
      'its own the same `decision_id` again, so that it is stored once however often it is sent.',
    example: '"ticket-8812/3"',
    pattern: idempotencyKeyPattern
  }
}

export const ingestOperation: Operation = {
  operation_id: 'ingestDecision',
  tag: 'ingest',
  summary: 'Send one decision',
  description:
    'Answers 202 only after every in-sync replica of the log has the decision. What is not ' +
    'known is 503 and carries the `decision_id`: sent again with it, a decision is stored once. ' +
    'A refusal takes one point of the rate limit for each started 64 KiB of the body; while the ' +
    'limit has nothing left, the answer is 429 before the body is read.',
  headers: idempotencyKeyHeader,
  body: {
    schema: decisionBodySchema,
    example: {
      input: { messages: [{ role: 'user', content: 'May I have a refund for order 1017?' }] },
      output: 'Yes: it arrived damaged, and you asked within 30 days.',
      agent_id: 'refund-agent',
      session_id: 'ticket-8812',
      domain: 'refunds',
      metadata: { model: 'small-1', agent_version: '2.3.0' },
      input_tokens: 31,
      output_tokens: 14
    }
  },
  response: {
    202: {
      description: 'The log has it. It will be stored and evaluated.',
      schema: {
        type: 'object',
        required: ['decision_id', 'queued'],
        properties: {
          decision_id: { type: 'string', format: 'uuid' },
          queued: { const: true }
        },
        additionalProperties: false
      },
      example: { decision_id: '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55', queued: true },
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
