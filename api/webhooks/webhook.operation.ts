/** What a caller needs to know of `/v1/evaluation/webhooks`. */
import { prefixedIdPattern } from '../../core/ids/prefixed-id.ts'
import { testEvent, webhookEvents } from '../../core/webhook.ts'
import type { JsonSchema } from '../../platform/validation/json-schema.ts'
import type { BodyDefinition, Operation } from '../../http/route.ts'
import { pageExample, pageOf, pageQuerySchema } from '../configuration/list-page.ts'
import { deletedSchema, deleteProblems } from '../configuration/operation-parts.ts'
import { idParams, nameSchema, plainText } from '../configuration/operation-parts.ts'
import { readProblems, writeProblems } from '../configuration/operation-parts.ts'
import { integerOrNull, objectOf, textOrNull, time } from '../response-schemas.ts'
import { webhooksMax } from './edit-webhooks.ts'
import { secretOverlapHours } from './rotate-secret.ts'
import { thresholdDefaults } from './webhook-draft.ts'

const tag = 'webhooks'
const timeOrNull = { type: ['string', 'null'], format: 'date-time' } as const
const scoresMax = 20_000

function textUpTo(maxLength: number, description: string): JsonSchema {
  return { type: 'string', minLength: 1, maxLength, pattern: plainText, description }
}

function orNull(schema: JsonSchema): JsonSchema {
  return { ...schema, type: [schema['type'], 'null'] }
}

const thresholdProperties = {
  score: textUpTo(1000, 'The name of the score.'),
  evaluator_id: orNull(textUpTo(100, 'Only of this evaluator; null is any.')),
  agent_id: orNull(textUpTo(255, 'Only of decisions of this agent.')),
  domain: orNull(textUpTo(100, 'Only of decisions of this domain.')),
  metric: { enum: ['pass_rate', 'mean'] },
  window_minutes: {
    type: 'integer',
    minimum: 1,
    maximum: 1440,
    description: `The scores of so many minutes; ${thresholdDefaults.window_minutes} if not said.`
  },
  operator: { enum: ['below', 'above'] },
  value: { type: 'number', description: 'From 0 to 1 for a pass rate.' },
  recovery_value: {
    type: 'number',
    description: 'Where it is well again, at `value` or beyond. A little beyond if not said.'
  },
  min_n: {
    type: 'integer',
    minimum: 1,
    maximum: scoresMax,
    description: `With fewer scores nothing is said; ${thresholdDefaults.min_n} if not said.`
  }
} as const

const bodyProperties = {
  name: nameSchema,
  url: textUpTo(2000, 'Where it is posted to. It must be https and on the internet.'),
  events: {
    type: 'array',
    minItems: 1,
    maxItems: webhookEvents.length,
    items: { enum: webhookEvents },
    description: 'What is told.'
  },
  threshold: {
    type: ['object', 'null'],
    required: ['score', 'metric', 'operator', 'value'],
    properties: thresholdProperties,
    additionalProperties: false,
    description: 'Which score is watched; needed for the events `threshold.*`.'
  },
  enabled: { type: 'boolean' }
} as const

function bodyOf(required: readonly string[], example: unknown): BodyDefinition {
  const schema = { type: 'object', required, properties: bodyProperties }
  return { schema: { ...schema, additionalProperties: false }, example }
}

const webhookMembers = {
  webhook_id: { type: 'string' },
  name: { type: 'string' },
  url: { type: 'string' },
  events: { type: 'array', items: { type: 'string' } },
  threshold: { ...objectOf(thresholdProperties), type: ['object', 'null'] },
  enabled: { type: 'boolean' },
  disabled_reason: {
    ...textOrNull,
    description: '`user`; `gone`: it answered 410; `failing`: too many deliveries failed in a row.'
  },
  failures_in_row: { type: 'integer' },
  state: { enum: ['ok', 'firing', null], description: 'Of its threshold.' },
  state_since: timeOrNull,
  created_at: time,
  updated_at: time
}

const webhook = objectOf(webhookMembers)
const withSecret = objectOf({
  ...webhookMembers,
  secret: { type: 'string', description: 'To verify signatures with. It is not shown again.' }
})

const bodyExample = {
  name: 'quality alerts',
  url: 'https://example.com/hooks/sluice',
  events: ['threshold.crossed', 'threshold.recovered'],
  threshold: { score: 'refund_policy', metric: 'pass_rate', operator: 'below', value: 0.9 }
}

const example = {
  webhook_id: 'whk_01938c4e5b7a7c3e9f002f6d1c1b8a55',
  ...bodyExample,
  threshold: {
    ...{ score: 'refund_policy', evaluator_id: null, agent_id: null, domain: null },
    ...{ metric: 'pass_rate', window_minutes: 60, operator: 'below', value: 0.9 },
    ...{ recovery_value: 0.95, min_n: 20 }
  },
  enabled: true,
  disabled_reason: null,
  failures_in_row: 0,
  state: 'ok',
  state_since: '2026-01-31T12:00:00.000Z',
  created_at: '2026-01-31T12:00:00.000Z',
  updated_at: '2026-01-31T12:00:00.000Z'
}
const secretExample = { ...example, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }

export const webhookParams = idParams(
  'webhook_id',
  prefixedIdPattern('whk'),
  'As it was answered when it was made.'
)

export const listWebhooksOperation: Operation = {
  ...{ operation_id: 'listWebhooks', tag, summary: 'List webhooks, by name' },
  description: 'Where your organization is told of evaluations and thresholds.',
  query: pageQuerySchema,
  response: {
    200: { description: 'A page.', schema: pageOf(webhook), example: pageExample(example) }
  },
  problems: [...readProblems, 'invalid_query']
}

export const createWebhookOperation: Operation = {
  ...{ operation_id: 'createWebhook', tag, summary: 'Make a webhook' },
  description:
    `At most ${webhooksMax}. Its secret is answered here, once. Within five seconds it is told ` +
    'what happens from then on.',
  body: bodyOf(['name', 'url', 'events'], bodyExample),
  response: {
    201: {
      description: 'The webhook, with its secret.',
      schema: withSecret,
      example: secretExample
    }
  },
  problems: [...writeProblems, 'name_taken', 'limit_reached', 'secrets_key_missing']
}

export const showWebhookOperation: Operation = {
  ...{ operation_id: 'showWebhook', tag, summary: 'Read a webhook' },
  description: 'With the state of its threshold, and why it is switched off if it is.',
  params: webhookParams,
  response: { 200: { description: 'The webhook.', schema: webhook, example } },
  problems: [...readProblems, 'webhook_not_found']
}

export const changeWebhookOperation: Operation = {
  ...{ operation_id: 'changeWebhook', tag, summary: 'Change a webhook' },
  description:
    'Members that are left out stay. Another threshold begins anew in the state `ok`. ' +
    '`enabled: true` switches it on again; what waits for less than a day is sent then.',
  params: webhookParams,
  body: bodyOf([], { enabled: true }),
  response: { 200: { description: 'The webhook as it is now.', schema: webhook, example } },
  problems: [...writeProblems, 'webhook_not_found', 'name_taken']
}

export const deleteWebhookOperation: Operation = {
  ...{ operation_id: 'deleteWebhook', tag, summary: 'Delete a webhook' },
  description: 'What waits for it is not sent any more.',
  params: webhookParams,
  response: {
    200: {
      description: 'It is deleted.',
      schema: deletedSchema('webhook_id'),
      example: { webhook_id: example.webhook_id, deleted: true }
    }
  },
  problems: [...deleteProblems, 'webhook_not_found']
}

export const rotateSecretOperation: Operation = {
  ...{ operation_id: 'rotateWebhookSecret', tag, summary: 'Give a webhook another secret' },
  description:
    `For ${secretOverlapHours} hours each delivery is signed with both, so that receivers can ` +
    'change theirs without a gap.',
  params: webhookParams,
  response: {
    200: {
      description: 'The webhook, with its secret.',
      schema: withSecret,
      example: secretExample
    }
  },
  problems: [...deleteProblems, 'webhook_not_found', 'secrets_key_missing']
}

export const testWebhookOperation: Operation = {
  ...{ operation_id: 'testWebhook', tag, summary: 'Try a webhook' },
  description:
    `Posts a signed \`${testEvent}\` now, once, and tells what came of it. That the receiver ` +
    'does not answer is an outcome and no refusal.',
  params: webhookParams,
  response: {
    200: {
      description: 'What came of it.',
      schema: objectOf({
        delivery_id: { type: 'string', description: 'The `webhook-id` it was sent with.' },
        delivered: { type: 'boolean' },
        http_status: integerOrNull,
        error: { ...textOrNull, description: 'What was wrong, in words.' },
        duration_ms: { type: 'integer' }
      }),
      example: {
        ...{ delivery_id: '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55', delivered: false },
        ...{ http_status: 500, error: 'the receiver answered 500', duration_ms: 41 }
      }
    }
  },
  problems: [...deleteProblems, 'webhook_not_found', 'secrets_key_missing']
}
