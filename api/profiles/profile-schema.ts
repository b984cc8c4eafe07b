/** Agents and their measures as answers show them. */
import type { JsonSchema } from '../../platform/validation/json-schema.ts'
import { count, integerOrNull, objectOf, textOrNull } from '../response-schemas.ts'
import { time, timeOrNull, uuid } from '../response-schemas.ts'
import { measure, numberOrNull } from '../stats/read-stats.operation.ts'
import { agentStatuses } from './measures/agent-status.ts'

const text: JsonSchema = { type: 'string' }

function listOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items }
}

function orNull(schema: JsonSchema): JsonSchema {
  return { ...schema, type: ['object', 'null'] }
}

export const identityMembers = {
  agent_id: text,
  name: textOrNull,
  owner: textOrNull,
  tags: listOf(text),
  first_seen: time,
  last_seen: time
}

export const priceSchema: JsonSchema = {
  type: 'object',
  required: ['input_usd_per_million', 'output_usd_per_million'],
  properties: {
    input_usd_per_million: { type: 'number', minimum: 0, maximum: 1_000_000 },
    output_usd_per_million: { type: 'number', minimum: 0, maximum: 1_000_000 }
  },
  additionalProperties: false
}

export const editableMembers = {
  description: textOrNull,
  prices: {
    type: ['object', 'null'],
    additionalProperties: priceSchema,
    description: 'By model; `*` is the price of any other.'
  } as JsonSchema,
  archived_at: timeOrNull,
  updated_at: timeOrNull
}

export const status: JsonSchema = {
  enum: agentStatuses,
  description:
    '`active`: seen within a day. `new`: and not a week old. `silent`: away though it usually ' +
    'is not. `idle`: away, and not missed. `archived`: by somebody.'
}

export const silence: JsonSchema = orNull(
  objectOf({
    since: time,
    usual_per_hour: { type: 'number', description: 'In the same hours of the week before.' },
    expected: { ...count, description: 'How many decisions there would have been.' }
  })
)

const volumeMembers = {
  now: count,
  previous: { ...count, description: 'In as many hours just before.' },
  change: { ...numberOrNull, description: 'Of the number in an hour, as a share.' }
}
export const volume = objectOf(volumeMembers)
export const sparkline = listOf(objectOf({ t: time, n: count }))

export const cost: JsonSchema = {
  ...objectOf({
    usd: { type: 'number' },
    priced_share: { type: 'number', description: 'Of the tokens; the others are not in the sum.' },
    price_source: { const: 'profile' }
  }),
  type: ['object', 'null'],
  description: 'Null where no token has a price: unknown is not free.'
}

const percentiles = { p50: numberOrNull, p95: numberOrNull }
const tokens = objectOf({ total: numberOrNull, n: count, ...percentiles })
const mean = objectOf({ value: numberOrNull, n: count })

const facetMembers = {
  value: text,
  first_seen: { ...time, description: 'The hour; at most 92 days before the window ends.' },
  last_seen: time,
  ...{ decisions: count, input_tokens: numberOrNull, output_tokens: numberOrNull },
  ...{ error_rate: measure, latency_ms: mean }
}
export const facets = listOf(objectOf(facetMembers))
export const pricedFacets = listOf(objectOf({ ...facetMembers, cost }))

export const domains = listOf(
  objectOf({
    ...{ domain: textOrNull, decisions: count },
    ...{ input_tokens: numberOrNull, output_tokens: numberOrNull },
    ...{ error_rate: measure, latency_ms: mean }
  })
)

const ci: JsonSchema = { type: ['array', 'null'], items: { type: 'number' } }

export const agentScores = listOf(
  objectOf({
    ...{ name: text, source: text, evaluator_id: textOrNull, version: integerOrNull },
    ...{ n_scored: count, n_eligible: count, mean: numberOrNull, mean_ci: ci, n_valued: count },
    pass_rate: measure,
    first_seen: { ...time, description: 'The first point in which there is one.' },
    points: listOf(objectOf({ t: time, value: numberOrNull, n: count, ci, pass_rate: measure }))
  })
)

export const sample = objectOf({
  n: { ...count, description: 'The newest decisions, for percentiles and sessions.' },
  since: timeOrNull
})

const worst = listOf(
  objectOf({
    ...{ decision_id: uuid, received_at: time, session_id: textOrNull, domain: textOrNull },
    ...{ status: text, verdict: text, failed_scores: listOf(text) }
  })
)

const counts: JsonSchema = { type: 'object', additionalProperties: count }

export const ingestion: JsonSchema = orNull(
  objectOf({
    since: { ...time, description: 'Older ones are not kept.' },
    rejected: { ...counts, description: 'Decisions that were refused, by code.' },
    dropped: { ...counts, description: 'Those that SDKs say they dropped, by reason.' },
    hours: listOf(objectOf({ t: time, rejected: count, dropped: count }))
  })
)

export const profileMembers = {
  ...identityMembers,
  ...{ status, silence, ...editableMembers },
  volume: objectOf({ ...volumeMembers, sparkline }),
  tokens: objectOf({ input: tokens, output: tokens, output_per_input: numberOrNull }),
  cost,
  pass_rate: objectOf({
    ...(measure['properties'] as Record<string, JsonSchema>),
    previous: measure
  }),
  ...{ verdicts: counts, evaluation: counts, scores: agentScores, error_rate: measure },
  latency_ms: objectOf({ value: numberOrNull, n: count, ...percentiles }),
  domains,
  sessions: objectOf({ count, decisions: count, decisions_per_session: numberOrNull }),
  ...{ sample, versions: facets, models: facets, sdk_versions: facets, worst, ingestion }
}

export const listedMembers = {
  ...identityMembers,
  ...{ status, volume, sparkline, cost, pass_rate: measure, error_rate: measure },
  tokens: objectOf({ input: numberOrNull, output: numberOrNull }),
  evaluation: objectOf({ evaluated: count, partial: count, failed: count }),
  versions: { ...listOf(text), description: 'Those that were seen last.' }
}

const compared = objectOf({ value: numberOrNull, n: count })
const comparison = objectOf({
  ...{ a: compared, b: compared, delta: numberOrNull, ci },
  significant: { type: ['boolean', 'null'], description: 'Whether `ci` leaves 0 out.' }
})
const side = objectOf({ version: text, n: count, since: timeOrNull, until: timeOrNull })

export const compareMembers = {
  ...{ a: side, b: side },
  measures: objectOf({
    ...{ input_tokens: comparison, output_tokens: comparison, latency_ms: comparison },
    ...{ error_rate: comparison, pass_rate: comparison }
  }),
  scores: listOf(
    objectOf({
      ...{ name: text, source: text, evaluator_id: textOrNull, version: integerOrNull },
      ...{ mean: comparison, pass_rate: comparison }
    })
  )
}

export const sessionMembers = {
  sessions: listOf(
    objectOf({
      ...{ session_id: text, decisions: count, first_seen: time, last_seen: time },
      ...{ input_tokens: numberOrNull, output_tokens: numberOrNull }
    })
  ),
  count,
  sample
}
