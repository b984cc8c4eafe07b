/** Request and response schemas for webhooks and their deliveries, with examples. */
import { prefixedIdPattern } from '../../core/ids/prefixed-id.ts'
import { webhookEvents } from '../../core/webhook.ts'
import { allOptional, boolean, closed, exampleOf, integer, listOf } from '../../http/schema.ts'
import { number, objectOf, oneOf, optional, orNull, text, timeWith } from '../../http/schema.ts'
import { withExample } from '../../http/schema.ts'
import type { Static } from '../../http/schema.ts'
import { textFilter } from '../page.ts'
import { nameSchema, plainText, time, timeOrNull, uuid } from '../response-schemas.ts'

export const thresholdDefaults = { window_minutes: 60, min_n: 20 } as const
const scoresMax = 20_000

function scope(description: string, maxLength: number) {
  return orNull(textFilter(description, maxLength), { example: null })
}

const threshold = {
  score: withExample(textFilter('The name of the score.', 1000), 'refund_policy'),
  evaluator_id: scope('Only scores of this evaluator; null for all.', 100),
  agent_id: scope('Only scores of decisions of this agent; null for all.', 255),
  domain: scope('Only scores of decisions of this domain; null for all.', 100),
  metric: oneOf(['pass_rate', 'mean']),
  window_minutes: integer({
    minimum: 1,
    maximum: 1440,
    description: `The window of scores, in minutes. Default: ${thresholdDefaults.window_minutes}.`,
    example: thresholdDefaults.window_minutes
  }),
  operator: oneOf(['below', 'above']),
  value: number({ description: 'From 0 to 1 for a pass rate.', example: 0.9 }),
  recovery_value: number({
    description:
      'The threshold recovers when the metric reaches this value. Default: a value slightly ' +
      'better than `value`.',
    example: 0.95
  }),
  min_n: integer({
    minimum: 1,
    maximum: scoresMax,
    description:
      'The minimum number of scores in the window. With fewer, the state does not change. ' +
      `Default: ${thresholdDefaults.min_n}.`,
    example: thresholdDefaults.min_n
  })
}

const { score, metric, operator, value } = threshold
const thresholdBody = closed(
  { ...allOptional(threshold), score, metric, operator, value },
  {
    description: 'The score to watch. Required for the events `threshold.*`.',
    example: { score: 'refund_policy', metric: 'pass_rate', operator: 'below', value: 0.9 }
  }
)

const bodyMembers = {
  name: withExample(nameSchema, 'quality alerts'),
  url: text({
    minLength: 1,
    maxLength: 2000,
    pattern: plainText,
    description: 'The URL to post to. It must be https and on the public internet.',
    example: 'https://example.com/hooks/sluice'
  }),
  events: listOf(oneOf(webhookEvents), {
    minItems: 1,
    maxItems: webhookEvents.length,
    description: 'The events to send.',
    example: ['threshold.crossed', 'threshold.recovered']
  }),
  threshold: optional(orNull(thresholdBody)),
  enabled: optional(boolean())
}

export const newWebhook = closed(bodyMembers)
export const webhookChange = withExample(closed(allOptional(bodyMembers)), { enabled: true })
export type WebhookChange = Static<typeof webhookChange>

export const webhookParams = {
  webhook_id: text({
    pattern: prefixedIdPattern('whk'),
    description: 'The `webhook_id` of the response that created the webhook.'
  })
}

const webhookMembers = {
  webhook_id: text({ example: 'whk_01938c4e5b7a7c3e9f002f6d1c1b8a55' }),
  name: text({ example: 'quality alerts' }),
  url: text({ example: 'https://example.com/hooks/sluice' }),
  events: listOf(text(), { example: ['threshold.crossed', 'threshold.recovered'] }),
  threshold: orNull(objectOf(threshold)),
  enabled: boolean(),
  disabled_reason: orNull(
    text({
      description:
        '`user`: a user disabled it. `gone`: the receiver responded with 410. `failing`: too ' +
        'many deliveries failed in a row.'
    }),
    { example: null }
  ),
  failures_in_row: integer({ example: 0 }),
  state: oneOf(['ok', 'firing', null], { description: 'The state of the threshold.' }),
  state_since: timeOrNull,
  created_at: time,
  updated_at: time
}

export const webhook = objectOf(webhookMembers)
export type WebhookView = Static<typeof webhook>

export const webhookWithSecret = objectOf({
  ...webhookMembers,
  secret: text({
    description: 'Verifies the signatures. It is not shown again.',
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  })
})

export const testResult = objectOf({
  delivery_id: text({
    description: 'The value of the header `webhook-id`.',
    example: exampleOf(uuid)
  }),
  delivered: boolean({ example: false }),
  http_status: orNull(integer({ example: 500 })),
  error: orNull(
    text({
      description: 'The error message; null if the event was delivered.',
      example: 'the receiver responded with 500'
    })
  ),
  duration_ms: integer({ example: 41 })
})

export const delivery = objectOf({
  delivery_id: text({
    format: 'uuid',
    description: 'The value of the header `webhook-id`.',
    example: '9eb8d38f-0f79-55d9-bd34-33e78bdd55bd'
  }),
  event: text({ example: 'evaluation.completed' }),
  decision_id: orNull(uuid),
  status: text({ description: '`pending`, `delivered` or `failed`.', example: 'pending' }),
  attempts: integer(),
  http_status: orNull(
    integer({
      description: 'The status of the last response; null if there was none.',
      example: 503
    })
  ),
  error: orNull(
    text({
      description: 'The error message of the last attempt.',
      example: 'the receiver responded with 503'
    })
  ),
  created_at: time,
  next_attempt_at: orNull(
    timeWith({
      description: 'Null if there is no further attempt.',
      example: '2026-01-31T12:00:03.120Z'
    })
  ),
  finished_at: orNull(time, { example: null })
})
export type DeliveryView = Static<typeof delivery>
