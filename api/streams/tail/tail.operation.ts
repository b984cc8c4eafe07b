/** What a caller needs to know of `GET /v1/decisions/tail`. */
import { writeCursor } from '../../../core/cursor.ts'
import type { JsonSchema } from '../../../platform/validation/json-schema.ts'
import type { Operation } from '../../../http/route.ts'
import { textFilter } from '../../text-filter.ts'
import { openingOf, serverSentEvent } from './server-sent-event.ts'
import { tailFilterSchemas } from './tail-filters.ts'
import { ticketExpression } from './tail-tickets.ts'

const lastEventId = textFilter(
  'The `id` of the last event that you have: what came since is told first.',
  512
)

const ticket: JsonSchema = {
  type: 'string',
  pattern: ticketExpression,
  examples: ['slt_4Kx0nOq9m1vYw3cD8fT2hJ5sL7pR6aZ0bE9gU4iQ1XM'],
  description:
    'Of POST /v1/decisions/tail-tickets, in place of a session; it has its filters with it.'
}

const shown = '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55'
const id = writeCursor({ sort_key: '2026-01-31T12:00:00.120000Z', id: shown }, {})
const decision = { decision_id: shown, agent_id: 'refund-agent', domain: 'refunds' }
const evaluation = { decision_id: shown, status: 'evaluated', verdict: 'pass', scores: {} }

const example = [
  openingOf(id),
  serverSentEvent({
    ...{ event: 'decision', id, data: JSON.stringify(decision) }
  }),
  serverSentEvent({ event: 'evaluation', data: JSON.stringify(evaluation) }),
  serverSentEvent({ event: 'ping', data: '{}' })
].join('')

export const tailOperation: Operation = {
  operation_id: 'tailDecisions',
  tag: 'decisions',
  summary: 'Follow decisions as they are stored',
  description:
    'Server-sent events: `decision`, a summary as in the list; `evaluation`, what became of a ' +
    'decision that was shown; `gap`, so many decisions are missing here (`dropped`, null when ' +
    'nobody knows how many); `ping`, after 15 seconds without another; `bye`, the end, with its ' +
    'reason. At most the newest 500 decisions of a second are shown, and a tail lasts an hour. ' +
    '`scores` is null where a decision has more than 8 KiB of them. Ids are opaque.',
  query: {
    type: 'object',
    properties: { ...tailFilterSchemas, last_event_id: lastEventId, ticket },
    additionalProperties: false
  },
  headers: {
    'Last-Event-ID': {
      description: 'As `last_event_id`; what a browser sends that comes back by itself.',
      example: id
    }
  },
  response: {
    200: {
      description: 'Events, until you hang up or the hour is over.',
      content_type: 'text/event-stream',
      schema: { type: 'string' },
      example
    }
  },
  problems: [
    'session_required',
    'session_invalid',
    'ticket_invalid',
    'invalid_query',
    'store_unavailable'
  ]
}

/** The same for somebody with a ticket, who has said before what it is to be about. */
export const tailByTicketOperation: Operation = {
  ...tailOperation,
  query: {
    type: 'object',
    required: ['ticket'],
    properties: { last_event_id: lastEventId, ticket },
    additionalProperties: false
  }
}
