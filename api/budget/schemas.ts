/** Request and response schemas for the evaluation budget, with examples. */
import { usdMax } from '../../core/evaluation/usd.ts'
import { allOptional, closed, integer, listOf, number, objectOf } from '../../http/schema.ts'
import { orNull, text, withExample } from '../../http/schema.ts'
import type { Static } from '../../http/schema.ts'
import { count, time } from '../response-schemas.ts'

const usd = number({ minimum: 0, description: 'US dollars.' })
const limit = orNull(
  number({
    minimum: 0,
    maximum: usdMax,
    description: 'US dollars, to the billionth; null for no limit.'
  })
)

const limits = {
  usd_per_day: withExample(limit, 5),
  usd_per_month: withExample(limit, null),
  alert_at: orNull(
    number({
      minimum: 0,
      maximum: 1,
      description: 'The share of a limit at which an alert is sent; null for no alerts.',
      example: 0.8
    })
  )
}

export const newLimits = closed(allOptional(limits))
export type NewLimits = Static<typeof newLimits>

const spending = objectOf({
  evaluator_id: text({ example: 'evl_01938c4e5b7a7c3e9f002f6d1c1b8a55' }),
  evaluator: orNull(
    text({
      description: 'The name of the evaluator; null if it no longer exists.',
      example: 'refund_policy'
    })
  ),
  calls: withExample(count, 4120),
  input_tokens: withExample(count, 3_914_000),
  output_tokens: withExample(count, 1_030_000),
  usd: withExample(usd, 31.07),
  unpriced_calls: withExample(count, 0)
})

const midnight = withExample(time, '2026-02-01T00:00:00.000Z')

export const budget = objectOf({
  ...limits,
  spent_today: withExample(usd, 1.2345),
  spent_month: withExample(usd, 31.07),
  unpriced_calls: integer({
    minimum: 0,
    description:
      'Calls of this month at an unknown price. They are not free: set the price in the ' +
      'connection.',
    example: 0
  }),
  by_evaluator: listOf(spending, {
    description: 'Spending of this month by evaluator, highest first.'
  }),
  reset_at: objectOf({ day: midnight, month: midnight })
})
export type BudgetView = Static<typeof budget>
