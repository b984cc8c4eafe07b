/** Schemas of decision statistics. The agent routes use some of them. */
import { boolean, integer, listOf, mapOf, number, objectOf, oneOf } from '../../http/schema.ts'
import { orNull, text } from '../../http/schema.ts'
import type { Static } from '../../http/schema.ts'
import { lagMembers } from '../page.ts'
import { count, textOrNull } from '../response-schemas.ts'
import { intervals } from './time-buckets.ts'

export const measureMembers = {
  value: orNull(number({ description: 'Null, never 0, if no data has a value.', example: 0.94 })),
  n: integer({
    minimum: 0,
    description: 'Number of decisions or scores that the value is based on.',
    example: 200
  }),
  ci: orNull(
    listOf(number(), {
      description:
        "95 % confidence interval: Wilson's for a rate, from the standard deviation for a mean.",
      example: [0.898, 0.965]
    })
  )
}

export const measure = objectOf(measureMembers)
export type Measure = Static<typeof measure>

export const numberOrNull = orNull(number())
const time = text({ format: 'date-time' })

const metric = text({ example: 'pass_rate' })
const key = mapOf(textOrNull, {
  description: 'Value of each group in `group_by`; null for decisions without one.',
  example: { agent_id: 'refund-agent' }
})

const series = objectOf({
  metric,
  key,
  is_other: boolean({
    description: 'Whether this series sums up all groups without a separate series.',
    example: false
  }),
  source: orNull(
    text({ description: 'The source of the scores; null if the metric is not a score.' }),
    { example: null }
  ),
  evaluator_id: orNull(text(), { example: null }),
  version: orNull(integer(), { example: null }),
  points: listOf(objectOf({ t: time, ...measureMembers })),
  total: measure,
  previous: orNull(
    objectOf({
      ...measureMembers,
      change: orNull(
        number({
          description:
            'For sums, the relative change per hour. For rates and means, the difference.',
          example: 0
        })
      )
    })
  )
})
export type StatsSeries = Static<typeof series>

export const stats = objectOf({
  series: listOf(series),
  breaks: listOf(
    objectOf({
      at: time,
      metric,
      key,
      is_other: boolean(),
      evaluator_id: text(),
      from_version: integer(),
      to_version: integer()
    }),
    {
      description:
        'Times at which the version of an evaluator changes, so that scores may not be comparable.',
      example: []
    }
  ),
  meta: objectOf({
    applied: objectOf({
      from: text({ format: 'date-time', example: '2026-01-31T00:00:00.000Z' }),
      to: text({ format: 'date-time', example: '2026-02-01T00:00:00.000Z' }),
      metrics: listOf(metric),
      group_by: listOf(text({ example: 'agent_id' })),
      interval: oneOf(intervals),
      every: integer({ description: 'Number of hours or days per point.' }),
      tz: text({ example: 'UTC' }),
      agent_id: orNull(text(), { example: null }),
      domain: orNull(text(), { example: null }),
      compare: orNull(text({ example: 'previous' }))
    }),
    ...lagMembers,
    groups_total: count,
    cut: boolean({
      description:
        'Whether small groups are summed up in one series with `is_other`, or series are missing.',
      example: false
    })
  })
})
export type Stats = Static<typeof stats>
