/** What a caller needs to know of sessions, and of what is around a decision. */
import type { Operation } from '../../../http/route.ts'
import { readProblems } from '../../configuration/operation-parts.ts'
import { pageParameters } from '../../page-parameters.ts'
import {
  count,
  decisionIdParams,
  objectOf,
  textOrNull,
  time,
  uuid
} from '../../response-schemas.ts'
import { textFilter } from '../../text-filter.ts'
import { decisionListMeta, decisionMetaExample } from '../list/list-decisions.operation.ts'
import {
  decisionSummary,
  listedDecision,
  summaryExample
} from '../list/list-decisions.operation.ts'
import { sessionFromDefault } from './list-sessions.ts'
import { decisionQuerySchema, rangeParameters } from '../list/query-schema.ts'
import { contextDays } from './read-context.ts'
import { sessionAgentsMax, sessionDecisionsMax } from './session-summaries.ts'

const tag = 'decisions'
const neighboursMax = 50
const sessionsMax = 50

const session = objectOf({
  session_id: { type: 'string' },
  decisions: { ...count, description: `In the range; counted up to ${sessionDecisionsMax}.` },
  has_more_decisions: { type: 'boolean' },
  first_received_at: time,
  last_received_at: time,
  agent_ids: {
    type: 'array',
    items: { type: 'string' },
    description: `At most ${sessionAgentsMax}.`
  },
  input_tokens: { ...count, description: 'Of the decisions that were counted.' },
  output_tokens: count,
  verdicts: objectOf({ pass: count, fail: count, mixed: count, none: count })
})

const sessionExample = {
  session_id: 'ticket-8812',
  decisions: 3,
  has_more_decisions: false,
  first_received_at: '2026-01-31T11:58:00.120Z',
  last_received_at: '2026-01-31T12:00:00.120Z',
  agent_ids: ['refund-agent'],
  input_tokens: 93,
  output_tokens: 41,
  verdicts: { pass: 2, fail: 0, mixed: 0, none: 1 }
}

export const listSessionsOperation: Operation = {
  ...{ operation_id: 'listDecisionSessions', tag, summary: 'List sessions, newest activity first' },
  description:
    'What belongs together by its `session_id`, as far as it was received in the range. A ' +
    'session that goes on while you page moves to the top. Ids of more than 1,024 bytes are not ' +
    'in the list. A page may be short, or empty, and still have a next one.',
  query: {
    type: 'object',
    properties: {
      ...rangeParameters,
      agent_id: textFilter('Only sessions with a decision of this agent.', 255),
      ...pageParameters('Sessions on a page, at most.'),
      limit: {
        ...{ type: 'integer', minimum: 1, maximum: sessionsMax, default: 20 },
        description: 'Sessions on a page, at most.'
      }
    },
    additionalProperties: false
  },
  response: {
    200: {
      description: 'A page.',
      schema: objectOf({ data: { type: 'array', items: session }, meta: decisionListMeta }),
      example: { data: [sessionExample], meta: { ...decisionMetaExample, limit: 20 } }
    }
  },
  problems: [...readProblems, 'invalid_query']
}

const { to, include, limit, cursor } = decisionQuerySchema['properties'] as Record<
  'to' | 'include' | 'limit' | 'cursor',
  Readonly<Record<string, unknown>>
>

export const readSessionOperation: Operation = {
  ...{ operation_id: 'readDecisionSession', tag, summary: 'Read a session, oldest decision first' },
  description:
    'The decisions of a session as they came, page by page. One that nobody knows has none. ' +
    'The id is percent-encoded; where that is not enough, as for `..`, the list takes it too.',
  params: {
    type: 'object',
    required: ['session_id'],
    properties: { session_id: textFilter('As the decisions have it.', 1000) }
  },
  query: {
    type: 'object',
    properties: {
      from: textFilter(`Received at or after; without it ${sessionFromDefault}.`, 40),
      ...{ to, include, limit, cursor }
    },
    additionalProperties: false
  },
  response: {
    200: {
      description: 'A page.',
      schema: objectOf({
        data: { type: 'array', items: listedDecision },
        meta: decisionListMeta
      }),
      example: { data: [summaryExample], meta: decisionMetaExample }
    }
  },
  // Of a path that no session can have.
  problems: [...readProblems, 'invalid_query', 'route_not_found']
}

const neighbours = { type: 'integer', minimum: 0, maximum: neighboursMax, default: 5 }

export const readContextOperation: Operation = {
  ...{ operation_id: 'readDecisionContext', tag, summary: 'Read what is around a decision' },
  description:
    'The decisions of the same session before and after it, each list oldest first, up to ' +
    `${contextDays} days away. One without a session has none.`,
  params: decisionIdParams,
  query: {
    type: 'object',
    properties: {
      before: { ...neighbours, description: 'How many before it.' },
      after: { ...neighbours, description: 'How many after it.' }
    },
    additionalProperties: false
  },
  response: {
    200: {
      description: 'What is around it.',
      schema: objectOf({
        decision_id: uuid,
        session_id: textOrNull,
        before: { type: 'array', items: decisionSummary },
        after: { type: 'array', items: decisionSummary }
      }),
      example: {
        ...{ decision_id: '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a56', session_id: 'ticket-8812' },
        ...{ before: [summaryExample], after: [] }
      }
    }
  },
  problems: [...readProblems, 'decision_not_found', 'invalid_query']
}
