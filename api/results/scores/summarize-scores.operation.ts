/** What a caller needs to know of `GET /v1/evaluation/scores/summary`. */
import type { JsonSchema } from '../../../platform/validation/json-schema.ts'
import type { Operation } from '../../../http/route.ts'
import { lagExample, lagMembers } from '../../page-parameters.ts'
import { count, objectOf, textOrNull, time, timeOrNull } from '../../response-schemas.ts'
import { textFilter } from '../../text-filter.ts'
import { defaultRangeDays } from '../../time-range.ts'
import { groupNames } from './group-columns.ts'
import { timeParameters } from './list-scores.operation.ts'
import { scoreFilterParameters } from './score-filters.ts'
import { hourlyDaysMax, rangeDaysMax, summaryLimits } from './summarize-scores.ts'

const numberOrNull: JsonSchema = { type: ['number', 'null'] }
const interval: JsonSchema = {
  type: ['array', 'null'],
  items: { type: 'number' },
  description: 'Lower and upper end, at 95 %.'
}
const key: JsonSchema = {
  type: 'object',
  description: 'A value for each member of `group_by`.',
  additionalProperties: textOrNull
}

const point = objectOf({
  t: { ...timeOrNull, description: 'Where the interval begins, UTC; null for the interval none.' },
  n: { ...count, description: 'Scores.' },
  mean: numberOrNull,
  ci: interval,
  n_judged: { ...count, description: 'Scores that say whether they passed.' },
  n_passed: count,
  pass_rate: { ...numberOrNull, description: '`n_passed` of `n_judged`.' },
  pass_rate_ci: { ...interval, description: "Wilson's interval, at 95 %." }
})

const identity = { key, evaluator_id: textOrNull, evaluator: { type: 'string' } }

const cutExample = { scores_since: null, runs_since: null, groups: false }

const example = {
  series: [
    {
      key: { name: 'refund_policy' },
      source: 'evaluator',
      evaluator_id: 'evl_01938c4e5b7a7c3e9f002f6d1c1b8a55',
      evaluator: 'refund_policy',
      version: 3,
      points: [
        {
          t: '2026-01-31T00:00:00.000Z',
          n: 200,
          mean: 0.81,
          ci: [0.78, 0.84],
          n_judged: 200,
          n_passed: 188,
          pass_rate: 0.94,
          pass_rate_ci: [0.898, 0.965]
        }
      ]
    }
  ],
  breaks: [
    {
      at: '2026-01-31T09:12:00.000Z',
      key: { name: 'refund_policy' },
      evaluator_id: 'evl_01938c4e5b7a7c3e9f002f6d1c1b8a55',
      evaluator: 'refund_policy',
      from_version: 2,
      to_version: 3
    }
  ],
  denominators: [
    {
      key: { name: 'refund_policy' },
      n_planned: 210,
      n_scored: 200,
      n_failed: 4,
      n_skipped: 3,
      n_pending: 2,
      n_expired: 1,
      n_canceled: 0
    }
  ],
  meta: {
    from: '2026-01-24T12:00:00.000Z',
    to: null,
    interval: 'day',
    group_by: ['name'],
    cut: cutExample,
    ...lagExample
  }
}

const { name, source, evaluator_id, version, rule_id, agent_id, session_id, domain } =
  scoreFilterParameters as Required<typeof scoreFilterParameters>

export const summarizeScoresOperation: Operation = {
  operation_id: 'summarizeScores',
  tag: 'evaluation',
  summary: 'Means and pass rates over time',
  description:
    'One series for each group, source, evaluator and version of it: what one version measures ' +
    'is not what the next one does, and `breaks` says where they change. Every rate has its ' +
    'number and its interval; `denominators` says how many runs gave no score, and why. At most ' +
    `the ${summaryLimits.rowsMax} newest scores and as many runs of the range are looked at, and ` +
    `${summaryLimits.pointsMax} points answered; \`meta.cut\` says where that was less than all.`,
  query: {
    type: 'object',
    properties: {
      from: textFilter(
        `Evaluated at or after: RFC 3339 or -24h. Without it: ${defaultRangeDays} days before ` +
          `\`to\`, and never more than ${rangeDaysMax}.`,
        40
      ),
      to: timeParameters.to,
      group_by: {
        type: 'string',
        maxLength: 100,
        default: 'name',
        description: `Some of ${groupNames.join(', ')}, with commas between; empty is one group.`
      },
      interval: {
        type: 'string',
        enum: ['auto', 'hour', 'day', 'none'],
        default: 'auto',
        description: `Of the points, UTC. Hours for at most ${hourlyDaysMax} days.`
      },
      ...{ name, source, evaluator_id, version, rule_id, agent_id, session_id, domain }
    },
    additionalProperties: false
  },
  response: {
    200: {
      description: 'The trends.',
      schema: objectOf({
        series: {
          type: 'array',
          items: objectOf({
            ...identity,
            source: { type: 'string' },
            version: { type: 'integer' },
            points: { type: 'array', items: point }
          })
        },
        breaks: {
          type: 'array',
          items: objectOf({
            at: time,
            ...identity,
            from_version: { type: 'integer' },
            to_version: { type: 'integer' }
          })
        },
        denominators: {
          type: 'array',
          items: objectOf({
            ...{ key, n_planned: count, n_scored: count, n_failed: count, n_skipped: count },
            ...{ n_pending: count, n_expired: count, n_canceled: count }
          })
        },
        meta: objectOf({
          from: time,
          to: timeOrNull,
          interval: { enum: ['hour', 'day', 'none'] },
          group_by: { type: 'array', items: { type: 'string' } },
          cut: objectOf({
            scores_since: {
              ...timeOrNull,
              description: 'Older scores of the range were not looked at; null when all were.'
            },
            runs_since: { ...timeOrNull, description: 'The same of runs.' },
            groups: { type: 'boolean', description: 'Whether groups with few scores are missing.' }
          }),
          ...lagMembers
        })
      }),
      example
    }
  },
  problems: ['session_required', 'session_invalid', 'invalid_query', 'store_unavailable']
}
