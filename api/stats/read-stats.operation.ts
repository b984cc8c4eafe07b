/** What a caller needs to know of `GET /v1/decisions/stats`. */
import type { JsonSchema } from '../../platform/validation/json-schema.ts'
import type { Operation } from '../../http/route.ts'
import { lagExample, lagMembers } from '../page-parameters.ts'
import { count, integerOrNull, objectOf, textOrNull, time } from '../response-schemas.ts'
import { textFilter } from '../text-filter.ts'
import { rangeDaysMax, windowPattern } from './hour-range.ts'
import { metricNames } from './metrics.ts'
import { groupsShownMax, pointsMax } from './read-stats.ts'
import { hourlyDaysMax, metricsMax } from './stats-query.ts'
import { groupNames } from './sum-sources.ts'

export const numberOrNull: JsonSchema = { type: ['number', 'null'] }

export const measureMembers: Readonly<Record<'value' | 'n' | 'ci', JsonSchema>> = {
  value: { ...numberOrNull, description: 'Null where nothing tells it; never 0 for that.' },
  n: { ...count, description: 'On how many decisions or scores it rests.' },
  ci: {
    type: ['array', 'null'],
    items: { type: 'number' },
    description: 'Lower and upper end at 95 %: of a rate after Wilson, of a mean from its spread.'
  }
}

export const measure = objectOf(measureMembers)

export const windowParameter: JsonSchema = {
  type: 'string',
  pattern: windowPattern,
  examples: ['24h', '7d'],
  maxLength: 5,
  description: 'Hours or days up to now, such as 24h or 7d, from 1h to 90d.'
}

export const periodParameters: Readonly<Record<string, JsonSchema>> = {
  window: windowParameter,
  from: textFilter(
    `Received at or after; RFC 3339. At most ${rangeDaysMax} days before \`to\`.`,
    40
  ),
  to: textFilter('Received before; RFC 3339. Now, when it is not said.', 40)
}

export const trendParameters: Readonly<Record<string, JsonSchema>> = {
  metrics: {
    ...textFilter(
      `At most ${metricsMax} of ${metricNames.join(', ')} and score:NAME, with commas between.`,
      2000
    ),
    default: 'count'
  },
  interval: {
    type: 'string',
    enum: ['auto', 'hour', 'day', 'none'],
    default: 'auto',
    description: `Of the points; auto gives about 50. Hours for at most ${hourlyDaysMax} days.`
  },
  tz: {
    ...textFilter('IANA name of the time zone in which days begin.', 64),
    default: 'UTC'
  },
  compare: {
    type: 'string',
    enum: ['previous'],
    description: 'Also measure as many hours just before.'
  }
}

const key: JsonSchema = {
  type: 'object',
  description: 'A value for each member of `group_by`; null where the decisions have none.',
  additionalProperties: textOrNull
}

const series = objectOf({
  metric: { type: 'string' },
  key,
  is_other: { type: 'boolean', description: 'All groups that have no series of their own.' },
  source: { ...textOrNull, description: 'Whose scores these are; null for what is no score.' },
  evaluator_id: textOrNull,
  version: integerOrNull,
  points: { type: 'array', items: objectOf({ t: time, ...measureMembers }) },
  total: measure,
  previous: {
    ...objectOf({
      ...measureMembers,
      change: {
        ...numberOrNull,
        description: 'Of a sum: the growth for each hour, as a share. Else: the difference.'
      }
    }),
    type: ['object', 'null']
  }
})

export const statsSchema = objectOf({
  series: { type: 'array', items: series },
  breaks: {
    type: 'array',
    description: 'Where the version of an evaluator changes, and with it what is measured.',
    items: objectOf({
      ...{ at: time, metric: { type: 'string' }, key, is_other: { type: 'boolean' } },
      evaluator_id: { type: 'string' },
      ...{ from_version: { type: 'integer' }, to_version: { type: 'integer' } }
    })
  },
  meta: objectOf({
    applied: objectOf({
      ...{ from: time, to: time },
      metrics: { type: 'array', items: { type: 'string' } },
      group_by: { type: 'array', items: { type: 'string' } },
      interval: { enum: ['hour', 'day', 'none'] },
      every: { type: 'integer', description: 'How many hours or days a point is of.' },
      ...{ tz: { type: 'string' }, agent_id: textOrNull, domain: textOrNull, compare: textOrNull }
    }),
    ...lagMembers,
    groups_total: count,
    cut: {
      type: 'boolean',
      description: 'Whether groups are added up in one that is `other`, or series were left out.'
    }
  })
})

const rate = { value: 0.94, n: 200, ci: [0.898, 0.965] }

export const statsExample = {
  series: [
    {
      ...{ metric: 'pass_rate', key: { agent_id: 'refund-agent' }, is_other: false },
      ...{ source: null, evaluator_id: null, version: null },
      points: [{ t: '2026-01-31T00:00:00.000Z', ...rate }],
      total: rate,
      previous: { value: 0.91, n: 180, ci: [0.859, 0.943], change: 0.03 }
    }
  ],
  breaks: [],
  meta: {
    applied: {
      ...{ from: '2026-01-31T00:00:00.000Z', to: '2026-02-01T00:00:00.000Z' },
      ...{ metrics: ['pass_rate'], group_by: ['agent_id'], interval: 'day', every: 1, tz: 'UTC' },
      ...{ agent_id: null, domain: null, compare: 'previous' }
    },
    ...lagExample,
    ...{ groups_total: 1, cut: false }
  }
}

export const readStatsOperation: Operation = {
  operation_id: 'readStats',
  tag: 'decisions',
  summary: 'Statistics over time and by group',
  description:
    'One series for each metric and group; of a score one for each evaluator version, and ' +
    '`breaks` says where they change. Hours are counted whole: `meta.applied` says from when to ' +
    `when. At most ${groupsShownMax} groups, those with the most decisions, have series of their ` +
    `own; fewer where the answer would have more than ${pointsMax.toLocaleString('en')} points.`,
  query: {
    type: 'object',
    properties: {
      ...trendParameters,
      group_by: {
        ...textFilter(`none, or one or two of ${groupNames.join(', ')}, with commas between.`, 100),
        default: 'none'
      },
      agent_id: textFilter('Only of this agent; `_unattributed` is decisions that name none.', 300),
      domain: textFilter('Only of this domain.', 100),
      ...periodParameters
    },
    additionalProperties: false
  },
  response: { 200: { description: 'The trends.', schema: statsSchema, example: statsExample } },
  problems: ['session_required', 'session_invalid', 'invalid_query', 'store_unavailable']
}
