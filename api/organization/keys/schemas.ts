/** Request and response schemas for API keys. */
import { apiKeyScopes } from '../../../core/ids/api-key.ts'
import { allOptional, closed, integer, listOf, objectOf, oneOf } from '../../../http/schema.ts'
import { exampleOf, optional, orNull, text, timeWith, withExample } from '../../../http/schema.ts'
import { nameText, plainText, time, timeOrNull, uuid } from '../../response-schemas.ts'

export const environmentDefault = 'live'
export const scopesDefault = ['ingest'] as const
export const graceDefaultSeconds = 86_400
const graceMaxSeconds = 30 * 86_400
const pointsMax = 1e9
/** A key is in the state `expiring` for this number of days before it expires. */
export const expiringDays = 7

const exampleName = 'support agents'

const pointsDescription =
  'The maximum number of decisions in a rate-limit window, in addition to the limit of the ' +
  'organization; null for no limit.'

function expiresAt(description: string) {
  return orNull(text({ maxLength: 64, pattern: plainText, description }))
}

const bodyMembers = {
  name: text({ ...nameText, description: 'The purpose of the key.', example: exampleName }),
  scopes: listOf(oneOf(apiKeyScopes), {
    minItems: 1,
    maxItems: apiKeyScopes.length,
    description:
      `What the key can do. Default: ${scopesDefault.join()}. ` + '`admin` includes all scopes.',
    example: scopesDefault
  }),
  expires_at: expiresAt('RFC 3339, in the future; null for never.'),
  rate_limit_points: orNull(
    integer({ minimum: 1, maximum: pointsMax, description: pointsDescription })
  )
}

export const newKey = closed({
  ...allOptional(bodyMembers),
  name: bodyMembers.name,
  environment: optional(
    text({
      pattern: '^[a-z0-9]{1,16}$',
      description: `Part of the key. Default: ${environmentDefault}.`
    })
  )
})

export const keyChange = closed(allOptional(bodyMembers), {
  example: { name: 'support agents, Europe' }
})

export const rotation = closed({
  grace_seconds: optional(
    integer({
      minimum: 0,
      maximum: graceMaxSeconds,
      description: `How long the old key keeps working. Default: ${graceDefaultSeconds}.`,
      example: 3600
    })
  ),
  expires_at: optional(
    expiresAt(
      'When the new key expires. Default: after the lifetime of the old key; null for never.'
    )
  )
})

export const keyParams = {
  key_id: text({ pattern: '^[0-9A-Za-z]{12}$', description: 'The public part of the key.' })
}

/** The state of a key, for filters and responses. */
export const keyStates = ['active', 'expiring', 'expired', 'revoked', 'rotated'] as const
const count24h = orNull(integer({ description: 'In the last 24 hours; null if unknown.' }))
const timeNotSet = withExample(timeOrNull, null)

export const key = objectOf({
  key_id: text({ description: 'The public part of the key.', example: '4fKc92LmQx7Z' }),
  prefix: text({
    description: 'The first characters of the key.',
    example: 'slk_live_4fKc92LmQx7Z'
  }),
  name: text({ example: exampleName }),
  environment: text({
    description: 'The environment in `slk_<environment>_…`.',
    example: environmentDefault
  }),
  scopes: listOf(oneOf(apiKeyScopes), { description: 'What the key can do.' }),
  rate_limit_points: orNull(integer({ description: pointsDescription }), { example: null }),
  created_at: time,
  created_by: orNull(
    text({
      description: 'The id of the member who created the key; null for an operator.',
      example: exampleOf(uuid)
    })
  ),
  expires_at: timeNotSet,
  revoked_at: timeNotSet,
  replaced_by: orNull(text({ description: 'The id of the key that replaced this one.' }), {
    example: null
  }),
  last_used_at: orNull(
    timeWith({
      description: 'The time of the last use, to the minute.',
      example: '2026-01-31T12:34:00.000Z'
    })
  ),
  state: oneOf(keyStates, {
    description:
      '`active` and `expiring` keys work; `expired`, `revoked` and `rotated` keys do not. ' +
      `\`expiring\`: the key was rotated, or expires within ${expiringDays} days. ` +
      '`rotated`: its grace period has ended.'
  }),
  accepted_24h: withExample(count24h, 1250),
  rejected_24h: withExample(count24h, 3)
})

const { revoked_at, state, last_used_at } = key.properties

export const revokedKey = objectOf({
  ...key.properties,
  revoked_at: withExample(revoked_at, '2026-01-31T13:00:00.000Z'),
  state: withExample(state, 'revoked')
})

export const keyWithSecret = objectOf({
  ...key.properties,
  last_used_at: withExample(last_used_at, null),
  accepted_24h: withExample(count24h, 0),
  rejected_24h: withExample(count24h, 0),
  key: text({
    description: 'The whole key. It is not shown again.',
    example: 'slk_live_4fKc92LmQx7Z_…'
  })
})

export const rotatedKey = objectOf({
  ...keyWithSecret.properties,
  replaces: objectOf({
    key_id: text({ example: '8sTn31VbWr5Y' }),
    expires_at: withExample(time, '2026-01-31T13:00:00.000Z')
  })
})
