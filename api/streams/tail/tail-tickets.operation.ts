/** What a caller needs to know of `POST /v1/decisions/tail-tickets`. */
import type { Operation } from '../../../http/route.ts'
import { objectOf } from '../../response-schemas.ts'
import { tailFilterSchemas } from './tail-filters.ts'
import { ticketSeconds } from './tail-tickets.ts'

export const issueTailTicketOperation: Operation = {
  operation_id: 'issueTailTicket',
  tag: 'decisions',
  summary: 'Get a ticket for a live tail',
  description:
    "A browser's EventSource sends no header, so it names a ticket in the address. A ticket is " +
    `good for one tail, within ${ticketSeconds} seconds, with the filters that are given here.`,
  body: {
    schema: { type: 'object', properties: tailFilterSchemas, additionalProperties: false },
    example: { agent_id: 'refund-agent', sample: 0.5 }
  },
  response: {
    201: {
      description: 'The ticket.',
      schema: objectOf({
        ticket: { type: 'string', description: 'For `?ticket=` of GET /v1/decisions/tail.' },
        expires_in: { type: 'integer', description: 'Seconds.' }
      }),
      example: { ticket: 'slt_4Kx0nOq9m1vYw3cD8fT2hJ5sL7pR6aZ0bE9gU4iQ1XM', expires_in: 30 }
    }
  },
  problems: [
    'session_required',
    'session_invalid',
    'malformed_json',
    'malformed_encoding',
    'body_timeout',
    'payload_too_large',
    'unsupported_media_type',
    'invalid_body',
    'store_unavailable'
  ]
}
