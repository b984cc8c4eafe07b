/** Request and response schemas for decisions, sessions, facets and feedback, with examples. */
import { uuidPattern } from '../../core/ids/ids.ts'
import { valueMax } from '../../evaluators/apply-score-definition.ts'
import { boolean, closed, integer, listOf, number, objectOf, oneOf } from '../../http/schema.ts'
import { optional, orNull, schemaFor, text, withExample } from '../../http/schema.ts'
import type { Static } from '../../http/schema.ts'
import { count, evaluationStatus, plainText, scores, scoresExample } from '../response-schemas.ts'
import { time, timeOrNull, uuid, verdict } from '../response-schemas.ts'
import { lagMembers, limitParameter, listMeta, textFilter } from '../page.ts'
import { previewCharsMax } from '../preview.ts'
import { run } from '../results/schemas.ts'
import { nameCharsMax } from '../results/scores/schemas.ts'
import { groupNames } from '../stats/sum-sources.ts'
import { rangeQuery, sortDefault } from './list-query.ts'

/** Maximum time between a decision and the decisions of its context, in days. */
export const contextDays = 30
/** Maximum number of decisions of a trace, and their maximum distance from a decision in days. */
export const traceDecisionsMax = 200
export const traceDays = 7
export const sessionFromDefault = '-90d'
export const sessionDecisionsMax = 1000
export const sessionAgentsMax = 10

const decision_id = uuid
const received_at = time
const stored_at = withExample(time, '2026-01-31T12:00:00.190Z')
const agent_id = orNull(text({ example: 'refund-agent' }))
const session_id = orNull(text({ example: 'ticket-8812' }))
const domain = orNull(text({ example: 'refunds' }))
const input_tokens = orNull(integer({ example: 31 }))
const output_tokens = orNull(integer({ example: 14 }))
const sdk_version = orNull(text(), { example: null })
const exampleTraceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const isTruncated = boolean({ example: false })

/** The members of a summary that are columns of `decisions`. */
export const storedMembers = {
  decision_id,
  received_at,
  stored_at,
  agent_id,
  session_id,
  domain,
  model: orNull(text({ description: '`metadata.model`.', example: 'small-1' })),
  agent_version: orNull(text({ description: '`metadata.agent_version`.', example: '2.3.0' })),
  trace_id: orNull(text({ description: '`metadata.trace_id`.', example: exampleTraceId })),
  parent_decision_id: orNull(uuid, {
    description: '`metadata.parent_decision_id`. A decision with this id may not exist.',
    example: '5a1d6d1c-8f0e-5d7a-9a53-0c8f7f3b2e11'
  }),
  kind: orNull(text({ description: '`metadata.kind`.', example: 'generation' })),
  name: orNull(text({ description: '`metadata.name`.', example: 'chat small-1' })),
  latency_ms: orNull(number({ description: '`metadata.latency_ms`.', example: 812 })),
  is_error: orNull(
    boolean({ description: 'Whether `metadata.error` reports an error; null if it is not set.' }),
    { example: null }
  ),
  input_tokens,
  output_tokens,
  sdk_version
}

function bytesOf(name: string, example: number) {
  return integer({ minimum: 0, description: `Size of the ${name} as JSON, in bytes.`, example })
}

/** The members that are computed from a decision. */
export const measuredMembers = {
  input_bytes: bytesOf('input', 63),
  output_bytes: bytesOf('output', 56),
  metadata_bytes: orNull(bytesOf('metadata', 43)),
  fingerprint: text({
    description:
      'SHA-256 of all fields that were sent except `sdk_version`, as hexadecimal digits. Two ' +
      'decisions with the same content have the same fingerprint.',
    example: 'f2ca1bb6c7e907d06dafe4687e579fce76b37e4e93b7605022da52e6ccc26fd2'
  })
}

const evaluationState = objectOf({
  status: withExample(evaluationStatus, 'evaluated'),
  verdict
})

const summaryMembers = {
  ...storedMembers,
  ...measuredMembers,
  input_preview: text({
    description: `The first ${previewCharsMax} characters of the input as JSON text.`,
    example: '{"messages":[{"role":"user","content":"May I have a refund?"}]}'
  }),
  input_truncated: isTruncated,
  output_preview: text({
    description: `The first ${previewCharsMax} characters of the output.`,
    example: 'Yes: it arrived damaged, and you asked within 30 days.'
  }),
  output_truncated: isTruncated,
  evaluation: evaluationState
}

const summary = objectOf(summaryMembers)
export type SummaryView = Static<typeof summary>

const listedDecision = objectOf({
  ...summaryMembers,
  input: optional(
    schemaFor<unknown>({
      description: 'The input as sent: any JSON value. Present if `include` names it.'
    })
  ),
  output: optional(text()),
  metadata: optional(schemaFor<object | null>({ type: ['object', 'null'] })),
  scores: optional(scores)
})

/** Returns the schema of `meta.applied`, with an example of the filters. */
function appliedWith(filters: Readonly<Record<string, string>>) {
  return objectOf(
    { from: time, to: timeOrNull },
    {
      description: 'The filters that were applied, with relative times resolved.',
      additionalProperties: true,
      example: { from: '2026-01-24T12:00:00.000Z', to: null, ...filters }
    }
  )
}

const metaMembers = { ...listMeta.properties, applied: appliedWith({ sort: sortDefault }) }

const countMember = {
  count: optional(
    objectOf({
      value: integer(),
      relation: oneOf(['exact', 'at_least', 'about'], {
        description:
          '`exact`: the number was counted. `at_least`: counting stopped at a limit. `about`: ' +
          'from hourly sums, in which the first and the last hour count in full.'
      })
    })
  )
}

export const decisionPage = objectOf({
  data: listOf(listedDecision),
  meta: objectOf({ ...metaMembers, ...countMember })
})
export type PageMeta = Static<typeof decisionPage>['meta']

export const sessionDecisionPage = objectOf({
  data: listOf(listedDecision),
  meta: objectOf(metaMembers)
})

const sessionSummary = objectOf({
  session_id: text({ example: 'ticket-8812' }),
  decisions: integer({
    minimum: 0,
    description: `Decisions received in the range, counted up to ${sessionDecisionsMax}.`,
    example: 4
  }),
  has_more_decisions: boolean({ example: false }),
  first_received_at: withExample(time, '2026-01-31T11:58:00.120Z'),
  last_received_at: time,
  agent_ids: listOf(text({ example: 'refund-agent' }), {
    description: `At most ${sessionAgentsMax} agents.`
  }),
  input_tokens: integer({
    minimum: 0,
    description: 'Sum over the counted decisions.',
    example: 124
  }),
  output_tokens: withExample(count, 56),
  verdicts: objectOf({ pass: count, fail: count, mixed: count, none: count })
})

export const sessionPage = objectOf({
  data: listOf(sessionSummary),
  meta: objectOf({ ...metaMembers, limit: integer({ example: 20 }) })
})

/** The members of a decision in a trace that are columns of `decisions`. */
export const tracedMembers = {
  decision_id,
  parent_decision_id: storedMembers.parent_decision_id,
  kind: storedMembers.kind,
  name: storedMembers.name,
  received_at,
  agent_id,
  model: storedMembers.model,
  latency_ms: storedMembers.latency_ms,
  is_error: storedMembers.is_error,
  input_tokens,
  output_tokens
}

const tracedDecision = objectOf({
  ...tracedMembers,
  depth: integer({ minimum: 0, description: 'Number of ancestors in the list.', example: 0 }),
  evaluation: evaluationState
})

export const context = objectOf({
  decision_id: withExample(uuid, '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a56'),
  session_id,
  before: listOf(summary),
  after: listOf(summary, { example: [] }),
  trace: orNull(
    objectOf({
      trace_id: text({ example: exampleTraceId }),
      decisions: listOf(tracedDecision, {
        description:
          'A tree: each decision is followed by its children, the earliest first. A decision ' +
          'whose parent is not in the list has the depth 0.'
      }),
      has_more: boolean({
        description: `Whether decisions older than the newest ${traceDecisionsMax} were left out.`,
        example: false
      })
    }),
    { description: 'Null if the decision has no `metadata.trace_id`.' }
  )
})

/** The members that an export contains. */
export const exportedMembers = {
  decision_id,
  received_at,
  stored_at,
  input: schemaFor<unknown>({
    description: 'The input as sent: any JSON value.',
    example: { messages: [{ role: 'user', content: 'May I have a refund?' }] }
  }),
  output: text({ example: 'Yes: it arrived damaged, and you asked within 30 days.' }),
  agent_id,
  session_id,
  domain,
  metadata: schemaFor<object | null>({
    type: ['object', 'null'],
    example: { model: 'small-1', agent_version: '2.3.0' }
  }),
  input_tokens,
  output_tokens,
  sdk_version,
  evaluation: objectOf({
    status: withExample(evaluationStatus, 'evaluated'),
    verdict,
    scores: withExample(scores, scoresExample),
    runs: optional(listOf(run))
  })
}

export const decision = objectOf({ ...exportedMembers, ...measuredMembers })
export type DecisionView = Omit<Static<typeof decision>, 'input' | 'output' | 'metadata'>

export const facetQuery = {
  field: oneOf(groupNames),
  ...rangeQuery,
  agent_id: optional(textFilter('Only decisions of this agent.', 255)),
  limit: limitParameter('Maximum number of values.', { maximum: 100, byDefault: 20 })
}

export const facets = objectOf({
  data: listOf(
    objectOf({
      value: orNull(
        text({ description: 'Null for decisions without a value.', example: 'small-1' })
      ),
      decisions: withExample(count, 1204)
    })
  ),
  meta: objectOf({
    limit: withExample(count, 20),
    has_more: boolean({
      description: 'Whether there are more than `limit` values.',
      example: false
    }),
    ...lagMembers,
    applied: appliedWith({ field: 'model' })
  })
})

export const feedbackNameDefault = 'user_feedback'
const said = { minLength: 1, pattern: plainText }

export const feedback = closed({
  id: optional(
    text({
      pattern: uuidPattern,
      description: 'Makes retries safe: feedback with the same id is stored once.'
    })
  ),
  name: optional(text({ ...said, maxLength: nameCharsMax, default: feedbackNameDefault })),
  value: optional(
    schemaFor<number | boolean>({
      type: ['number', 'boolean'],
      minimum: -valueMax,
      maximum: valueMax
    })
  ),
  label: optional(text({ ...said, maxLength: 4000 })),
  passed: optional(boolean({ example: false })),
  reason: optional(text({ ...said, maxLength: 4000, example: 'It was not damaged.' })),
  user_id: optional(
    text({
      ...said,
      maxLength: 255,
      description: 'Your id of the end user.',
      example: 'customer-17'
    })
  )
})

export const storedFeedback = objectOf({
  id: withExample(uuid, '01938c4f-0000-7000-8000-2f6d1c1b8a55'),
  name: text({ example: feedbackNameDefault }),
  duplicate: boolean({
    description: 'Whether feedback with this id already existed.',
    example: false
  })
})

export const receipt = objectOf({
  decision_id,
  state: schemaFor<'stored'>({ const: 'stored' }),
  stored_at
})
