/** What a caller needs to know of `POST /v1/ingest`. */
import { decisionBodySchema } from '../../schemas/index.ts'
import type { Operation } from '../route.ts'

export const ingestOperation: Operation = {
  operation_id: 'ingestDecision',
  tag: 'ingest',
  summary: 'Send one decision',
  description:
    'Answers 202 only after every in-sync replica of the log has the decision. What is not ' +
    'known is 503 and carries the `decision_id`: sent again with it, a decision is stored once.',
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
      headers: {
        RateLimit: 'What the organization may still send: `"organization";r=…;t=…`.',
        'RateLimit-Policy': 'The limit: `"organization";q=…;w=…`.',
        'X-Request-Id': 'The request as the logs name it.'
      }
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
