/** What a caller needs to know of the deliveries of a webhook. */
import { uuidPattern } from '../../core/ids/ids.ts'
import type { Operation } from '../../http/route.ts'
import { deleteProblems, plainText, readProblems } from '../configuration/operation-parts.ts'
import { integerOrNull, objectOf, textOrNull, time, uuid } from '../response-schemas.ts'
import { defaultRangeDays } from '../time-range.ts'
import { webhookParams } from './webhook.operation.ts'

const tag = 'webhooks'
const timeOrNull = { type: ['string', 'null'], format: 'date-time' } as const
const limitMax = 200
const limitDefault = 50

const delivery = objectOf({
  delivery_id: { ...uuid, description: 'The `webhook-id` it is sent with.' },
  event: { type: 'string' },
  decision_id: { type: ['string', 'null'], format: 'uuid' },
  status: { type: 'string', description: 'pending, delivered or failed.' },
  attempts: { type: 'integer' },
  http_status: { ...integerOrNull, description: 'Of the last answer; null where none came.' },
  error: { ...textOrNull, description: 'What was wrong with the last attempt, in words.' },
  created_at: time,
  next_attempt_at: { ...timeOrNull, description: 'Null when there will be none.' },
  finished_at: timeOrNull
})

const example = {
  delivery_id: '9eb8d38f-0f79-55d9-bd34-33e78bdd55bd',
  event: 'evaluation.completed',
  decision_id: '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55',
  status: 'pending',
  attempts: 1,
  http_status: 503,
  error: 'the receiver answered 503',
  created_at: '2026-01-31T12:00:00.000Z',
  next_attempt_at: '2026-01-31T12:00:03.120Z',
  finished_at: null
}

const rfc3339 = { type: 'string', minLength: 1, maxLength: 40, pattern: plainText } as const

export const listDeliveriesOperation: Operation = {
  ...{ operation_id: 'listDeliveries', tag, summary: 'List deliveries of a webhook, newest first' },
  description:
    'What became of each of them. For the next page send `meta.next_cursor` as `cursor`, with ' +
    'the same filters. Those that have ended are kept for 30 days.',
  params: webhookParams,
  query: {
    type: 'object',
    properties: {
      from: {
        ...rfc3339,
        description: `Made at or after; ${defaultRangeDays} days before \`to\` if not said.`
      },
      to: { ...rfc3339, description: 'Made before. Without it: no end.' },
      status: { enum: ['pending', 'delivered', 'failed'], description: 'Only these.' },
      limit: {
        ...{ type: 'integer', minimum: 1, maximum: limitMax, default: limitDefault },
        description: 'Deliveries on a page.'
      },
      cursor: {
        ...{ type: 'string', minLength: 1, maxLength: 512, pattern: plainText },
        description: 'Where the page begins: `meta.next_cursor` of the page before.'
      }
    },
    additionalProperties: false
  },
  response: {
    200: {
      description: 'A page.',
      schema: objectOf({
        data: { type: 'array', items: delivery },
        meta: objectOf({ next_cursor: textOrNull, limit: { type: 'integer' } })
      }),
      example: { data: [example], meta: { next_cursor: null, limit: limitDefault } }
    }
  },
  problems: [...readProblems, 'webhook_not_found', 'invalid_query']
}

const deliveryParams = {
  type: 'object',
  required: ['webhook_id', 'delivery_id'],
  properties: {
    ...(webhookParams['properties'] as object),
    delivery_id: { type: 'string', pattern: uuidPattern, description: 'As in the list.' }
  }
}

export const redeliverOperation: Operation = {
  ...{ operation_id: 'redeliver', tag, summary: 'Send a delivery again' },
  description:
    'Whatever became of it: it is due at once, with all its attempts, under the same ' +
    '`webhook-id` and with the same body. A receiver that took it already will know it by that.',
  params: deliveryParams,
  response: { 202: { description: 'It is on its way.', schema: delivery, example } },
  problems: [...deleteProblems, 'webhook_not_found', 'delivery_not_found']
}
