/** What a caller needs to know of `/v1/auth/api-keys`. */
import { apiKeyScopes } from '../../../core/ids/api-key.ts'
import type { JsonSchema } from '../../../platform/validation/json-schema.ts'
import type { BodyDefinition, Operation } from '../../../http/route.ts'
import { pageExample, pageOf, pageQuerySchema } from '../../configuration/list-page.ts'
import { deleteProblems, idParams } from '../../configuration/operation-parts.ts'
import { nameText, plainText, writeProblems } from '../../configuration/operation-parts.ts'
import { integerOrNull, objectOf, textOrNull, time, timeOrNull } from '../../response-schemas.ts'
import { environmentDefault, scopesDefault } from './api-key-draft.ts'
import { expiringDays, keyStates } from './api-key-rows.ts'
import { keysMax } from './api-keys.ts'
import { graceDefaultSeconds, graceMaxSeconds } from './rotate-api-key.ts'

const tag = 'api-keys'
const pointsMax = 1e9
const count24h = { ...integerOrNull, description: 'In the last 24 hours; null if not known.' }

const keyMembers = {
  key_id: { type: 'string', description: 'The public part of the key.' },
  prefix: { type: 'string', description: 'The start of the key.' },
  name: { type: 'string' },
  environment: { type: 'string', description: 'The <env> in slk_<env>_….' },
  scopes: { type: 'array', items: { enum: apiKeyScopes }, description: 'What it may do.' },
  rate_limit_points: {
    ...integerOrNull,
    description: 'Decisions it may send in a window, beside the organization; null is no limit.'
  },
  created_at: time,
  created_by: { ...textOrNull, description: 'The member who made it; null for an operator.' },
  expires_at: timeOrNull,
  revoked_at: timeOrNull,
  replaced_by: { ...textOrNull, description: 'The key that took its place.' },
  last_used_at: { ...timeOrNull, description: 'To the minute.' },
  state: {
    enum: keyStates,
    description:
      `\`expiring\`: it works, and was rotated or ends within ${expiringDays} days. \`rotated\`: ` +
      'its grace is over. The last three do not work any more.'
  },
  accepted_24h: count24h,
  rejected_24h: count24h
}
const secretMembers = {
  ...keyMembers,
  key: { type: 'string', description: 'The key whole. It is not shown again.' }
}

const key = objectOf(keyMembers)

const example = {
  key_id: '4fKc92LmQx7Z',
  prefix: 'slk_live_4fKc92LmQx7Z',
  name: 'support agents',
  environment: 'live',
  scopes: ['ingest'],
  rate_limit_points: null,
  created_at: '2026-01-31T12:00:00.000Z',
  created_by: '01938c4e-0000-7000-8000-2f6d1c1b8a55',
  expires_at: null,
  revoked_at: null,
  replaced_by: null,
  last_used_at: '2026-01-31T12:34:00.000Z',
  state: 'active',
  accepted_24h: 1250,
  rejected_24h: 3
}
const secretExample = {
  ...{ ...example, last_used_at: null, accepted_24h: 0, rejected_24h: 0 },
  key: 'slk_live_4fKc92LmQx7Z_…'
}

const expiresAt: JsonSchema = {
  type: ['string', 'null'],
  maxLength: 64,
  pattern: plainText,
  description: 'RFC 3339, in the future; null is never.'
}

const changeable: Readonly<Record<string, JsonSchema>> = {
  name: { ...nameText, description: 'What it is for.' },
  scopes: {
    type: 'array',
    minItems: 1,
    maxItems: apiKeyScopes.length,
    items: { enum: apiKeyScopes },
    description: `What it may do; ${scopesDefault.join()} if not said. \`admin\` is all of them.`
  },
  expires_at: expiresAt,
  rate_limit_points: {
    type: ['integer', 'null'],
    minimum: 1,
    maximum: pointsMax,
    description: keyMembers.rate_limit_points.description
  }
}

function bodyOf(properties: object, required: readonly string[], example: unknown): BodyDefinition {
  return { schema: { type: 'object', required, properties, additionalProperties: false }, example }
}

const params = idParams('key_id', '^[0-9A-Za-z]{12}$', 'The public part of the key.')

export const listKeysOperation: Operation = {
  ...{ operation_id: 'listApiKeys', tag, summary: 'List API keys, the newest first' },
  description: 'For admins. Without their secrets; with those that have ended.',
  query: {
    ...pageQuerySchema,
    properties: {
      ...(pageQuerySchema['properties'] as object),
      state: { type: 'string', enum: keyStates, description: 'Only those in this state.' }
    }
  },
  response: {
    200: { description: 'A page.', schema: pageOf(key), example: pageExample(example) }
  },
  problems: [...deleteProblems, 'invalid_query']
}

export const createKeyOperation: Operation = {
  ...{ operation_id: 'createApiKey', tag, summary: 'Make an API key' },
  description:
    `For admins, who may give any scope: no key manages keys, members or invites. At most ` +
    `${keysMax} keys that have not ended. The key is answered here, once.`,
  body: bodyOf(
    {
      ...changeable,
      environment: {
        type: 'string',
        pattern: '^[a-z0-9]{1,16}$',
        description: `Named in the key; ${environmentDefault} if not said.`
      }
    },
    ['name'],
    { name: 'support agents', scopes: ['ingest'] }
  ),
  response: {
    201: { description: 'The key.', schema: objectOf(secretMembers), example: secretExample }
  },
  problems: [...writeProblems, 'limit_reached']
}

export const showKeyOperation: Operation = {
  ...{ operation_id: 'showApiKey', tag, summary: 'Read an API key' },
  description: 'For admins. Without its secret.',
  params,
  response: { 200: { description: 'The key.', schema: key, example } },
  problems: [...deleteProblems, 'api_key_not_found']
}

export const changeKeyOperation: Operation = {
  ...{ operation_id: 'changeApiKey', tag, summary: 'Change an API key' },
  description:
    'For admins. Members that are left out stay. Gateways are told at once, and know it within ' +
    'five seconds in any case. A key that has ended, or was rotated, is not changed any more.',
  params,
  body: bodyOf(changeable, [], { name: 'support agents, Europe' }),
  response: { 200: { description: 'The key as it is now.', schema: key, example } },
  problems: [...writeProblems, 'api_key_not_found', 'key_ended']
}

const revoked = { ...example, revoked_at: '2026-01-31T13:00:00.000Z', state: 'revoked' }

export const revokeKeyOperation: Operation = {
  ...{ operation_id: 'revokeApiKey', tag, summary: 'End an API key now' },
  description:
    'For admins. Gateways are told at once, and refuse it within five seconds in any case. One ' +
    'that was revoked before stays as it is.',
  params,
  response: { 200: { description: 'The key as it is now.', schema: key, example: revoked } },
  problems: [...deleteProblems, 'api_key_not_found']
}

export const deleteKeyOperation: Operation = {
  ...revokeKeyOperation,
  operation_id: 'deleteApiKey',
  summary: 'End an API key now, by another name',
  description: 'The same as revoking it: it stays in the list, for what it has sent.'
}

export const rotateKeyOperation: Operation = {
  ...{ operation_id: 'rotateApiKey', tag, summary: 'Put another API key in the place of one' },
  description:
    'For admins. The new key may do what the old one may. The old one goes on for the grace, so ' +
    'that agents can be given the new one without a gap. A key is rotated once.',
  params,
  body: bodyOf(
    {
      grace_seconds: {
        type: 'integer',
        minimum: 0,
        maximum: graceMaxSeconds,
        description: `How long the old one goes on; ${graceDefaultSeconds} if not said.`
      },
      expires_at: {
        ...expiresAt,
        description: 'Of the new one; as long as the old one was made for if not said.'
      }
    },
    [],
    { grace_seconds: 3600 }
  ),
  response: {
    201: {
      description: 'The new key.',
      schema: objectOf({
        ...secretMembers,
        replaces: objectOf({ key_id: { type: 'string' }, expires_at: time })
      }),
      example: {
        ...{ ...secretExample, key_id: '8sTn31VbWr5Y', prefix: 'slk_live_8sTn31VbWr5Y' },
        key: 'slk_live_8sTn31VbWr5Y_…',
        replaces: { key_id: example.key_id, expires_at: '2026-01-31T13:00:00.000Z' }
      }
    }
  },
  problems: [...writeProblems, 'api_key_not_found', 'key_ended', 'limit_reached']
}
