/** Schemas of agents and their measures. The examples describe one agent. */
import { boolean, closed, listOf, mapOf, number, objectOf, oneOf } from '../../http/schema.ts'
import { optional, orNull, schemaFor, text, timeWith, withExample } from '../../http/schema.ts'
import type { Static } from '../../http/schema.ts'
import { count, countOf, integerOrNull, plainText, time, timeOrNull } from '../response-schemas.ts'
import { uuid } from '../response-schemas.ts'
import { lagMembers, listMeta } from '../page.ts'
import { measure, measureMembers, numberOrNull } from '../stats/schemas.ts'
import { agentStatuses } from './agent-status.ts'

const agent_id = text({ example: 'refund-agent' })
const decisions = withExample(count, 210)
const scored = withExample(count, 200)
const tokens = withExample(numberOrNull, 130_000)
const latency = { value: withExample(numberOrNull, 820), n: decisions }

const identityMembers = {
  agent_id,
  name: orNull(text({ example: 'Refunds' })),
  owner: orNull(text({ example: 'payments' })),
  tags: listOf(text({ example: 'production' })),
  first_seen: timeWith({ example: '2026-01-02T08:00:12.000Z' }),
  last_seen: time
}

const usdPerMillion = number({ minimum: 0, maximum: 1_000_000 })
const prices = mapOf(
  closed({ input_usd_per_million: usdPerMillion, output_usd_per_million: usdPerMillion }),
  { example: { '*': { input_usd_per_million: 3, output_usd_per_million: 15 } } }
)
export type Prices = Static<typeof prices>

const editableMembers = {
  description: orNull(text({ example: 'Answers refund requests.' })),
  prices: orNull(prices, { description: 'Prices by model; `*` is the price of all other models.' }),
  archived_at: orNull(time, { example: null }),
  updated_at: timeOrNull
}

export const editedProfile = objectOf({ ...identityMembers, ...editableMembers })

export const tagCharsMax = 50

function textUpTo(maxLength: number, keywords: object = {}) {
  return text({ minLength: 1, maxLength, pattern: plainText, ...keywords })
}

export const profileChange = closed(
  {
    name: optional(orNull(textUpTo(200, { example: 'Refunds' }))),
    description: optional(orNull(textUpTo(4000))),
    owner: optional(orNull(textUpTo(200, { example: 'payments' }))),
    tags: optional(listOf(textUpTo(tagCharsMax), { maxItems: 20, example: ['production'] })),
    prices: optional(
      orNull(prices, {
        maxProperties: 50,
        propertyNames: { minLength: 1, maxLength: 100, pattern: plainText },
        description:
          'Prices by model, as in `metadata.model`; `*` is the price of all other models.'
      })
    ),
    archived: optional(boolean())
  },
  { minProperties: 1 }
)
export type ProfileChange = Static<typeof profileChange>

const status = oneOf(agentStatuses, {
  description:
    '`active`: seen within the last day. `new`: like active, and first seen within the last ' +
    'week. `silent`: sends nothing at a time when it usually does. `idle`: not seen for a ' +
    'day, but not silent. `archived`: archived by a user.'
})

const silence = orNull(
  objectOf({
    since: time,
    usual_per_hour: number({
      description: 'Usual number of decisions per hour, from the same hours one week earlier.'
    }),
    expected: countOf('Number of decisions expected since then.')
  }),
  { example: null }
)

const volumeMembers = {
  now: decisions,
  previous: withExample(
    countOf('Number of decisions in the previous window of the same length.'),
    195
  ),
  change: orNull(
    number({
      description: 'Relative change in decisions per hour; 0.08 is 8 % more.',
      example: 0.08
    })
  )
}

const sparkline = listOf(objectOf({ t: time, n: decisions }))

const cost = orNull(
  objectOf({
    usd: number({ example: 2.34 }),
    priced_share: number({
      description: 'Share of the tokens with a known price; `usd` excludes the others.'
    }),
    price_source: schemaFor<'profile'>({ const: 'profile' })
  }),
  { description: 'Null if no token has a known price.' }
)

const errorRate = withExample(measure, { value: null, n: 0, ci: null })

const measured = {
  decisions,
  input_tokens: tokens,
  output_tokens: tokens,
  error_rate: errorRate,
  latency_ms: objectOf(latency)
}

function facetOf(example: string) {
  return objectOf({
    value: text({ example }),
    first_seen: timeWith({
      description: 'Hour in which it was first seen, at most 92 days before the end of the window.'
    }),
    last_seen: time,
    ...measured
  })
}

const model = facetOf('gpt-5')
const facets = {
  versions: listOf(facetOf('2.4.0')),
  models: listOf(model),
  sdk_versions: listOf(facetOf('sluice-sdk/1.2.0'))
}

const domain = orNull(text({ example: 'refunds' }))
const domains = listOf(objectOf({ domain, ...measured }))

const scoreMembers = {
  name: text({ example: 'refund_policy' }),
  source: text({ example: 'evaluator' }),
  evaluator_id: orNull(text({ example: 'evl_01938c4e5b7a7c3e9f002f6d1c1b8a55' })),
  version: integerOrNull
}
const { value, ci } = measureMembers

const scores = listOf(
  objectOf({
    ...scoreMembers,
    n_scored: scored,
    n_eligible: decisions,
    mean: value,
    mean_ci: ci,
    n_valued: scored,
    pass_rate: measure,
    first_seen: timeWith({ description: 'The first point with a score.' }),
    points: listOf(objectOf({ t: time, ...measureMembers, pass_rate: measure }))
  })
)

const sample = objectOf({
  n: withExample(
    countOf('Newest decisions from which percentiles and sessions are computed.'),
    210
  ),
  since: timeOrNull
})

const session_id = text({ example: 'ticket-8812' })

const worst = listOf(
  objectOf({
    decision_id: uuid,
    received_at: time,
    session_id: orNull(session_id),
    domain,
    status: text({ example: 'evaluated' }),
    verdict: text({ example: 'fail' }),
    failed_scores: listOf(text({ example: 'refund_policy' }))
  })
)

const ingestion = orNull(
  objectOf({
    since: timeWith({ description: 'Start of the counters; older counters are not kept.' }),
    rejected: mapOf(count, {
      description: 'Rejected decisions by problem code.',
      example: { invalid_decision: 1 }
    }),
    dropped: mapOf(count, {
      description: 'Decisions that SDKs reported as dropped, by reason.',
      example: { queue_full: 1 }
    }),
    hours: listOf(objectOf({ t: time, rejected: count, dropped: count }))
  })
)

const applied = { from: timeWith({ example: '2026-01-30T12:00:00.000Z' }), to: time }
const meta = objectOf({ applied: objectOf(applied), ...lagMembers })

const percentiles = { p50: withExample(numberOrNull, 600), p95: withExample(numberOrNull, 1900) }
const sampledTokens = objectOf({ total: tokens, n: decisions, ...percentiles })

export const profile = objectOf({
  ...identityMembers,
  status,
  silence,
  ...editableMembers,
  volume: objectOf({ ...volumeMembers, sparkline }),
  tokens: objectOf({
    input: sampledTokens,
    output: sampledTokens,
    output_per_input: numberOrNull
  }),
  cost,
  pass_rate: objectOf({ ...measureMembers, previous: measure }),
  verdicts: mapOf(count, { example: { pass: 188, fail: 12, mixed: 0, none: 10 } }),
  evaluation: mapOf(count, {
    example: { evaluated: 200, partial: 0, failed: 4, without_runs: 6 }
  }),
  scores,
  error_rate: errorRate,
  latency_ms: objectOf({ ...latency, ...percentiles }),
  domains,
  sessions: objectOf(
    { count, decisions: count, decisions_per_session: numberOrNull },
    { example: { count: 70, decisions: 210, decisions_per_session: 3 } }
  ),
  sample,
  ...facets,
  worst,
  ingestion,
  meta
})

const listedAgent = objectOf({
  ...identityMembers,
  status,
  volume: objectOf(volumeMembers),
  sparkline,
  tokens: objectOf({ input: tokens, output: tokens }),
  cost,
  pass_rate: measure,
  error_rate: errorRate,
  evaluation: objectOf({ evaluated: scored, partial: count, failed: count }),
  versions: listOf(text({ example: '2.4.0' }), { description: 'The most recently seen versions.' }),
  sdk_versions: listOf(text({ example: 'sluice-sdk/1.2.0' }), {
    description: 'The most recently seen SDK versions.'
  })
})
export type ListedAgent = Static<typeof listedAgent>

export const agentList = objectOf({
  data: listOf(listedAgent),
  meta: objectOf({
    ...listMeta.properties,
    applied: objectOf({ ...applied, sort: text({ example: '-volume' }) }),
    cut: boolean({ example: false })
  })
})

const partMembers = { agent_id, meta }

export const scoresPart = objectOf({ ...partMembers, scores })

export const versionsPart = objectOf({
  ...partMembers,
  ...facets,
  models: listOf(objectOf({ ...model.properties, cost }))
})

export const domainsPart = objectOf({ ...partMembers, domains })

export const sessionsPart = objectOf({
  ...partMembers,
  sessions: listOf(
    objectOf({
      session_id,
      decisions: count,
      first_seen: time,
      last_seen: time,
      input_tokens: numberOrNull,
      output_tokens: numberOrNull
    })
  ),
  count,
  sample
})

export const ingestionPart = objectOf({ ...partMembers, ingestion })

/** @param example the values of both versions, their difference and its confidence interval */
function comparisonOf(example: { a: number; b: number; delta: number; ci: [number, number] }) {
  const of = (value: number) => objectOf({ value: withExample(numberOrNull, value), n: decisions })
  return objectOf({
    a: of(example.a),
    b: of(example.b),
    delta: withExample(numberOrNull, example.delta),
    ci: orNull(listOf(number(), { example: example.ci })),
    significant: orNull(boolean({ description: 'Whether `ci` excludes 0.' }))
  })
}

const means = comparisonOf({ a: 610, b: 580, delta: -30, ci: [-52.1, -7.9] })
const rates = comparisonOf({ a: 0.9, b: 0.95, delta: 0.05, ci: [0.014, 0.087] })

function sideOf(version: string) {
  return objectOf({
    version: text({ example: version }),
    n: decisions,
    since: timeOrNull,
    until: timeOrNull
  })
}

export const versionComparison = objectOf({
  ...partMembers,
  a: sideOf('2.3.1'),
  b: sideOf('2.4.0'),
  measures: objectOf({
    input_tokens: means,
    output_tokens: means,
    latency_ms: means,
    error_rate: rates,
    pass_rate: rates
  }),
  scores: listOf(objectOf({ ...scoreMembers, mean: rates, pass_rate: rates }))
})
