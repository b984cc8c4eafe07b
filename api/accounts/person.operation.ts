/** What a caller needs to know of the person of a session, and of the credential of a call. */
import { apiKeyScopes } from '../../core/ids/api-key.ts'
import { permissionsOf } from '../../core/permissions.ts'
import { userRoles } from '../../core/user-role.ts'
import type { JsonSchema } from '../../platform/validation/json-schema.ts'
import type { Operation } from '../../http/route.ts'
import { bodyProblems, readProblems } from '../configuration/operation-parts.ts'
import { objectOf, textOrNull, timeOrNull, uuid } from '../response-schemas.ts'
import { personExample, personSchema } from './person.ts'
import { personNameSchema } from './register.operation.ts'

const tag = 'auth'
const role: JsonSchema = { enum: userRoles }
const organizationId = '01938c4e-0000-7000-8000-5b7a9f002f6d'

const me = {
  description: 'The person, all their organizations, and what they may do in this one.',
  schema: objectOf({
    user: personSchema,
    organizations: {
      type: 'array',
      items: objectOf({ id: uuid, name: { type: 'string' }, role })
    },
    organization_id: { ...uuid, description: 'The one that the session acts for.' },
    role,
    permissions: { type: 'array', items: { type: 'string' }, description: 'May grow.' }
  }),
  example: {
    user: personExample,
    organizations: [{ id: organizationId, name: 'Example', role: 'member' }],
    organization_id: organizationId,
    role: 'member',
    permissions: permissionsOf('member')
  }
}

export const showMeOperation: Operation = {
  operation_id: 'showMe',
  tag,
  summary: 'Who am I',
  description: 'The person of the session.',
  response: { 200: me },
  problems: readProblems
}

export const changeMeOperation: Operation = {
  operation_id: 'changeMe',
  tag,
  summary: 'Change your name',
  description: 'What is left out stays as it is.',
  body: {
    schema: {
      type: 'object',
      properties: { name: personNameSchema },
      additionalProperties: false
    },
    example: { name: 'Ada' }
  },
  response: { 200: me },
  problems: [...readProblems, ...bodyProblems]
}

export const whoamiOperation: Operation = {
  operation_id: 'whoami',
  tag,
  summary: 'What is this credential',
  description: 'A session or an API key, whatever its scopes: whose it is and what it may do.',
  response: {
    200: {
      description: '`kind` says which of the members there are.',
      schema: {
        type: 'object',
        required: ['kind', 'organization', 'expires_at'],
        properties: {
          kind: { enum: ['session', 'api_key'] },
          organization: objectOf({ id: uuid, name: { type: 'string' } }),
          user_id: uuid,
          session_id: uuid,
          role,
          key_id: { type: 'string' },
          name: { ...textOrNull, description: 'Of the key.' },
          scopes: { type: 'array', items: { enum: apiKeyScopes } },
          expires_at: {
            ...timeOrNull,
            description: 'Of the key, null for never; or of the session, unless it is refreshed.'
          }
        }
      },
      example: {
        organization: { id: organizationId, name: 'Example' },
        kind: 'api_key',
        key_id: 'Ab3dEf6hIj9k',
        name: 'first',
        scopes: ['ingest'],
        expires_at: null
      }
    }
  },
  problems: [...readProblems, 'api_key_malformed', 'api_key_invalid', 'authentication_unavailable']
}
