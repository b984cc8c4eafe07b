/** What a caller needs to know of `GET /v1/decisions`. */
import type { Operation } from '../route.ts'
import { previewCharsMax } from './preview.ts'
import { evaluationStatus, integerOrNull, objectOf } from './response-schemas.ts'
import { textOrNull, time, uuid, verdict } from './response-schemas.ts'
import { listMeta, listMetaExample, pageParameters } from './page-parameters.ts'
import { textFilter } from './text-filter.ts'
import { defaultRangeDays } from './time-range.ts'

const summary = objectOf({
  decision_id: uuid,
  received_at: time,
  stored_at: time,
  agent_id: textOrNull,
  session_id: textOrNull,
  domain: textOrNull,
  input_tokens: integerOrNull,
  output_tokens: integerOrNull,
  sdk_version: textOrNull,
  input_preview: {
    type: 'string',
    description: `The first ${previewCharsMax} characters of the JSON text of the input.`
  },
  input_truncated: { type: 'boolean' },
  output_preview: {
    type: 'string',
    description: `The first ${previewCharsMax} characters of the output.`
  },
  output_truncated: { type: 'boolean' },
  evaluation: objectOf({ status: evaluationStatus, verdict })
})

const example = {
  data: [
    {
      decision_id: '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55',
      received_at: '2026-01-31T12:00:00.120Z',
      stored_at: '2026-01-31T12:00:00.190Z',
      agent_id: 'refund-agent',
      session_id: 'ticket-8812',
      domain: 'refunds',
      input_tokens: 31,
      output_tokens: 14,
      sdk_version: null,
      input_preview: '{"messages":[{"role":"user","content":"May I have a refund?"}]}',
      input_truncated: false,
      output_preview: 'Yes: it arrived damaged, and you asked within 30 days.',
      output_truncated: false,
      evaluation: { status: 'evaluated', verdict: 'pass' }
    }
  ],
  meta: listMetaExample
}

export const listDecisionsOperation: Operation = {
  operation_id: 'listDecisions',
  tag: 'decisions',
  summary: 'List decisions, newest first',
  description:
    'Summaries of the decisions of your organization. For the next page send `meta.next_cursor` ' +
    'as `cursor`, with the same filters.',
  query: {
    type: 'object',
    properties: {
      from: textFilter(
        `Received at or after: RFC 3339 or -24h. Without it: ${defaultRangeDays} days before \`to\`.`,
        40
      ),
      to: textFilter('Received before; RFC 3339, -24h or now. Without it: no end.', 40),
      agent_id: textFilter('Only of this agent.', 255),
      session_id: textFilter('Only of this session.', 1000),
      domain: textFilter('Only of this domain.', 100),
      ...pageParameters('Decisions on a page.')
    },
    additionalProperties: false
  },
  response: {
    200: {
      description: 'A page.',
      schema: objectOf({ data: { type: 'array', items: summary }, meta: listMeta }),
      example
    }
  },
  problems: ['session_required', 'session_invalid', 'invalid_query', 'store_unavailable']
}
