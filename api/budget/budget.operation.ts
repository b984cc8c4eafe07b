/** What a caller needs to know of `/v1/evaluation/budget`. */
import { usdMax } from '../../core/evaluation/usd.ts'
import type { JsonSchema } from '../../platform/validation/json-schema.ts'
import type { Operation } from '../../http/route.ts'
import { readProblems, writeProblems } from '../configuration/operation-parts.ts'
import { objectOf, textOrNull, time } from '../response-schemas.ts'

const count = { type: 'integer', minimum: 0 } as const
const usd = { type: 'number', minimum: 0, description: 'US dollars.' } as const

const limit: JsonSchema = {
  type: ['number', 'null'],
  minimum: 0,
  maximum: usdMax,
  description: 'US dollars, to the billionth; null is no limit.'
}

const alertAt: JsonSchema = {
  type: ['number', 'null'],
  minimum: 0,
  maximum: 1,
  description: 'The share of a limit from which on it is told; null tells nothing.'
}

const budget = objectOf({
  usd_per_day: limit,
  usd_per_month: limit,
  alert_at: alertAt,
  spent_today: usd,
  spent_month: usd,
  unpriced_calls: {
    ...count,
    description: 'Calls of this month whose price is not known. They are not free: name the price.'
  },
  by_evaluator: {
    type: 'array',
    description: 'Of this month, the dearest first.',
    items: objectOf({
      evaluator_id: { type: 'string' },
      evaluator: { ...textOrNull, description: 'Its name; null when it is not known any more.' },
      calls: count,
      input_tokens: count,
      output_tokens: count,
      usd,
      unpriced_calls: count
    })
  },
  reset_at: objectOf({ day: time, month: time })
})

const example = {
  usd_per_day: 5,
  usd_per_month: null,
  alert_at: 0.8,
  spent_today: 1.2345,
  spent_month: 31.07,
  unpriced_calls: 0,
  by_evaluator: [
    {
      evaluator_id: 'evl_01938c4e5b7a7c3e9f002f6d1c1b8a55',
      evaluator: 'refund_policy',
      calls: 4120,
      input_tokens: 3_914_000,
      output_tokens: 1_030_000,
      usd: 31.07,
      unpriced_calls: 0
    }
  ],
  reset_at: { day: '2026-02-01T00:00:00.000Z', month: '2026-02-01T00:00:00.000Z' }
}

const tag = 'budget'
const response = { 200: { description: 'Limits and spending.', schema: budget, example } }

export const showBudgetOperation: Operation = {
  ...{ operation_id: 'showBudget', tag, summary: 'Read the budget' },
  description: 'What judges may cost, and what they did. Days and months are those of UTC.',
  response,
  problems: readProblems
}

export const changeBudgetOperation: Operation = {
  ...{ operation_id: 'changeBudget', tag, summary: 'Set the budget' },
  description:
    'Limits of the whole organization, beside those of its rules. Over one of them runs are ' +
    'skipped, or wait, as their rule says. Each member that is left out becomes null.',
  body: {
    schema: {
      type: 'object',
      properties: { usd_per_day: limit, usd_per_month: limit, alert_at: alertAt },
      additionalProperties: false
    },
    example: { usd_per_day: 5, usd_per_month: null, alert_at: 0.8 }
  },
  response,
  problems: writeProblems
}
