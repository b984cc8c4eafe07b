/** What a caller needs to know of `GET /v1/decisions` and of the search. */
import type { JsonSchema } from '../../../platform/validation/json-schema.ts'
import type { Operation } from '../../../http/route.ts'
import { bodyProblems, readProblems } from '../../configuration/operation-parts.ts'
import { lagExample, lagMembers } from '../../page-parameters.ts'
import { previewCharsMax } from '../../preview.ts'
import { evaluationStatus, integerOrNull, objectOf, scores } from '../../response-schemas.ts'
import { textOrNull, time, timeOrNull, uuid, verdict } from '../../response-schemas.ts'
import { decisionQuerySchema, decisionSearchSchema } from './query-schema.ts'
import { sortDefault } from './sort-order.ts'

export const decisionSummary = objectOf({
  decision_id: uuid,
  received_at: time,
  stored_at: time,
  agent_id: textOrNull,
  session_id: textOrNull,
  domain: textOrNull,
  model: { ...textOrNull, description: '`metadata.model`.' },
  agent_version: { ...textOrNull, description: '`metadata.agent_version`.' },
  latency_ms: { type: ['number', 'null'], description: '`metadata.latency_ms`.' },
  is_error: { type: ['boolean', 'null'], description: 'What `metadata.error` says.' },
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

const included: Readonly<Record<string, JsonSchema>> = {
  input: { description: 'Any JSON value, as it was sent; where `include` asks for it.' },
  output: { type: 'string' },
  metadata: { type: ['object', 'null'] },
  scores
}

export const listedDecision: JsonSchema = {
  ...decisionSummary,
  properties: { ...(decisionSummary['properties'] as object), ...included }
}

export const applied: JsonSchema = {
  type: 'object',
  description: 'What was applied, with the times that were meant.',
  required: ['from', 'to'],
  properties: { from: time, to: timeOrNull }
}

export const decisionListMeta: JsonSchema = objectOf({
  next_cursor: { type: ['string', 'null'], description: 'Null on the last page.' },
  limit: { type: 'integer' },
  ...lagMembers,
  applied
})

const listMeta: JsonSchema = {
  ...decisionListMeta,
  properties: {
    ...(decisionListMeta['properties'] as object),
    count: objectOf({
      value: { type: 'integer' },
      relation: {
        enum: ['exact', 'at_least', 'about'],
        description: '`about`: the first and the last hour count whole.'
      }
    })
  }
}

export const summaryExample = {
  decision_id: '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55',
  received_at: '2026-01-31T12:00:00.120Z',
  stored_at: '2026-01-31T12:00:00.190Z',
  agent_id: 'refund-agent',
  session_id: 'ticket-8812',
  domain: 'refunds',
  model: 'small-1',
  agent_version: '2.3.0',
  latency_ms: 812,
  is_error: null,
  input_tokens: 31,
  output_tokens: 14,
  sdk_version: null,
  input_preview: '{"messages":[{"role":"user","content":"May I have a refund?"}]}',
  input_truncated: false,
  output_preview: 'Yes: it arrived damaged, and you asked within 30 days.',
  output_truncated: false,
  evaluation: { status: 'evaluated', verdict: 'pass' }
}

export const decisionMetaExample = {
  next_cursor: null,
  limit: 50,
  ...lagExample,
  applied: { from: '2026-01-24T12:00:00.000Z', to: null, sort: sortDefault }
}

const response: Operation['response'] = {
  200: {
    description: 'A page.',
    schema: objectOf({ data: { type: 'array', items: listedDecision }, meta: listMeta }),
    example: { data: [summaryExample], meta: decisionMetaExample }
  }
}

const pages =
  'For the next page send `meta.next_cursor` as `cursor`, with the same filters. A page may have ' +
  'fewer than `limit`, or none, and still a next one: filters that few decisions pass are looked ' +
  'through piece by piece. Other orders than that of time are for ranges with few decisions. ' +
  'States, verdicts and scores are looked for in what is stored of them.'

export const listDecisionsOperation: Operation = {
  operation_id: 'listDecisions',
  tag: 'decisions',
  summary: 'List decisions, newest first',
  description:
    'Summaries of the decisions of your organization. `metadata.<name>=<text>` asks for a member ' +
    `of metadata, up to five of them. ${pages}`,
  query: decisionQuerySchema,
  response,
  problems: [...readProblems, 'invalid_query', 'range_too_large']
}

export const searchDecisionsOperation: Operation = {
  operation_id: 'searchDecisions',
  tag: 'decisions',
  summary: 'Search decisions',
  description: `The same as the list, with what is asked for in a body. ${pages}`,
  body: {
    schema: decisionSearchSchema,
    example: {
      from: '-24h',
      verdict: ['fail', 'mixed'],
      score: [{ name: 'refund_policy', op: 'lt', value: 0.5 }],
      metadata: { model: 'small-1' }
    }
  },
  response,
  problems: [...readProblems, ...bodyProblems, 'range_too_large']
}
