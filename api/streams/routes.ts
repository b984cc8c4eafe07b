/** Routes for streamed responses: live tails, tail tickets and exports. */
import { createHash, randomBytes } from 'node:crypto'
import { formatCursor } from '../../core/cursor.ts'
import { Problem } from '../../core/problem.ts'
import { closed, integer, objectOf, optional, text, withExample } from '../../http/schema.ts'
import { anyone, member, session } from '../../http/typed-route.ts'
import { filterQuery, labelPatterns } from '../decisions/list-query.ts'
import type { OneTimeValues } from '../../platform/redis/one-time-values.ts'
import { textFilter } from '../page.ts'
import { routesOf } from '../services.ts'
import { exportDecisions, exportedMax } from './export/export-decisions.ts'
import { formatQuery } from './export/formats.ts'
import { openingOf, serverSentEvent } from './tail/events.ts'
import { tailFilterSchemas } from './tail/queries.ts'
import { lastEventIdOf } from './tail/tail.ts'
import type { TailRequest } from './tail/tail.ts'

const route = routesOf('decisions')

/**
 * Lifetime of a ticket in seconds. Tickets are in URLs, which may be logged, so they are
 * short-lived and single-use.
 */
const ticketSeconds = 30

const last_event_id = optional(
  textFilter('The `id` of the last event received. Decisions since then are sent first.', 512)
)
const ticketExample = 'slt_4Kx0nOq9m1vYw3cD8fT2hJ5sL7pR6aZ0bE9gU4iQ1XM'
const ticket = text({
  pattern: '^slt_[A-Za-z0-9_-]{43}$',
  examples: [ticketExample],
  description:
    'A ticket from POST /v1/decisions/tail-tickets, instead of a session. It includes its filters.'
})

const decision_id = '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55'
const eventId = formatCursor({ sort_key: '2026-01-31T12:00:00.120000Z', id: decision_id }, {})
const decision = { decision_id, agent_id: 'refund-agent', domain: 'refunds' }
const evaluation = { decision_id, status: 'evaluated', verdict: 'pass', scores: {} }
const events = [
  openingOf(eventId),
  serverSentEvent({ event: 'decision', id: eventId, data: JSON.stringify(decision) }),
  serverSentEvent({ event: 'evaluation', data: JSON.stringify(evaluation) }),
  serverSentEvent({ event: 'ping', data: '{}' })
]

const tail = {
  method: 'get',
  path: '/v1/decisions/tail',
  id: 'tailDecisions',
  summary: 'Stream decisions',
  description:
    'Sends decisions as they are stored, as server-sent events. `decision`: a summary, as ' +
    'in the list. `evaluation`: the evaluation of a decision that was sent has changed; ' +
    '`scores` is null if it exceeds 8 KiB. `gap`: decisions are missing here; `dropped` is ' +
    'their number, or null if unknown. `ping`: sent after 15 seconds without another event. ' +
    '`bye`: the stream ends, with the reason. At most the newest 500 decisions of a second ' +
    'are sent, and a stream lasts at most an hour. Event ids are opaque.',
  headers: {
    'Last-Event-ID': {
      description: 'Same as `last_event_id`; browsers send it when they reconnect.',
      example: eventId
    }
  },
  answers: {
    200: {
      description: 'Events, until the client disconnects or an hour has passed.',
      content_type: 'text/event-stream',
      schema: text({ example: events.join('') })
    }
  },
  problems: ['ticket_invalid', 'invalid_query']
} as const

const tailByTicket = route({
  ...tail,
  who: anyone,
  query: { last_event_id, ticket },
  /** Checks the session again, because it may have ended since the ticket was created. */
  handle: async ({ headers, query }, { oneTimeValues, liveSessions, streams }) => {
    const kept = await takeTicket(oneTimeValues, query.ticket)
    if (kept === null || (await liveSessions.roleOf(kept.principal)) === null) throw ticketInvalid()
    return streams.openTail({ ...kept, lastEventId: lastEventIdOf(headers, query.last_event_id) })
  }
})

export const streamRoutes = [
  route({
    ...tail,
    who: session,
    query: { ...tailFilterSchemas, last_event_id, ticket: optional(ticket) },
    // A ticket replaces the session, because only a session can create tickets. The ticket includes
    // the filters, so the query must not contain filters.
    instead: { parameter: 'ticket', route: tailByTicket },
    handle: async ({ principal, headers, query }, { streams }) => {
      const { last_event_id, ...filters } = query
      const lastEventId = lastEventIdOf(headers, last_event_id)
      return streams.openTail({ principal, filters, lastEventId })
    }
  }),
  route({
    method: 'post',
    path: '/v1/decisions/tail-tickets',
    who: session,
    id: 'issueTailTicket',
    summary: 'Create a tail ticket',
    description:
      'Creates a ticket for GET /v1/decisions/tail, because the EventSource of a browser ' +
      'cannot send an Authorization header. A ticket can be used once, within ' +
      `${ticketSeconds} seconds, and includes the filters sent here.`,
    body: withExample(closed(tailFilterSchemas), { agent_id: 'refund-agent', sample: 0.5 }),
    answers: {
      201: {
        description: 'The ticket.',
        schema: objectOf({
          ticket: text({
            description: 'Send it as `?ticket=` of GET /v1/decisions/tail.',
            example: ticketExample
          }),
          expires_in: integer({ description: 'Seconds.', example: ticketSeconds })
        })
      }
    },
    handle: async ({ principal, body: filters, reply }, { oneTimeValues }) =>
      reply(201, {
        ticket: await issueTicket(oneTimeValues, { principal, filters }),
        expires_in: ticketSeconds
      })
  }),
  route({
    method: 'get',
    path: '/v1/decisions/export',
    who: member,
    id: 'exportDecisions',
    summary: 'Export decisions',
    description:
      'Returns whole decisions, newest first, as NDJSON or CSV. `input`, `output` and ' +
      '`metadata` are returned as sent; NDJSON removes the whitespace between JSON tokens. An ' +
      `export has at most ${exportedMax.toLocaleString('en')} rows. The trailer ` +
      '`sluice-rows` is the number of rows. If there are more, send the trailer ' +
      '`sluice-next-cursor` as `cursor` to export the rest. A response without these trailers ' +
      'is incomplete.',
    query: {
      ...formatQuery,
      ...filterQuery,
      cursor: optional(textFilter('The trailer `sluice-next-cursor` of the previous export.', 512))
    },
    queryPatterns: labelPatterns,
    headers: {
      'Accept-Encoding': {
        description: 'Send `gzip` to get a compressed response.',
        example: 'gzip'
      }
    },
    answers: {
      200: {
        description: 'The exported rows.',
        content_type: 'application/x-ndjson',
        csv: true,
        schema: text({
          example:
            '{"decision_id":"01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55","output":"Yes."}\n' +
            '{"decision_id":"01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a54","output":"No."}\n'
        }),
        headers: {
          'Content-Disposition': 'A file name for the export.',
          Trailer: 'The names of the trailers.'
        }
      }
    },
    problems: ['invalid_query'],
    handle: exportDecisions
  })
]

const secretBytes = 32
const retryAfterSeconds = '2'

type Ticket = Pick<TailRequest, 'principal' | 'filters'>

async function issueTicket(values: OneTimeValues, kept: Ticket): Promise<string> {
  const ticket = `slt_${randomBytes(secretBytes).toString('base64url')}`
  await refuseOutage(values.put(keyOf(ticket), JSON.stringify(kept), ticketSeconds))
  return ticket
}

/** Redeems a ticket. Returns null if it is unknown, already used or expired. */
async function takeTicket(values: OneTimeValues, ticket: string): Promise<Ticket | null> {
  const kept = await refuseOutage(values.take(keyOf(ticket)))
  return kept === null ? null : (JSON.parse(kept) as Ticket)
}

/** Hashes the ticket, so that tickets cannot be read from Redis. */
function keyOf(ticket: string): string {
  return `tail-ticket:${createHash('sha256').update(ticket).digest('base64url')}`
}

function ticketInvalid(): Problem {
  return new Problem('ticket_invalid', {
    detail:
      `The ticket is unknown, already used or expired; tickets are valid for ${ticketSeconds} ` +
      's. Create one with POST /v1/decisions/tail-tickets.',
    headers: { 'www-authenticate': 'Bearer' }
  })
}

async function refuseOutage<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (cause) {
    throw new Problem('store_unavailable', {
      detail:
        'Tickets are unavailable, because Redis does not respond. Retry shortly, or send an ' +
        'Authorization header, which needs no ticket.',
      headers: { 'retry-after': retryAfterSeconds },
      cause
    })
  }
}
