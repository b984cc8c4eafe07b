/** What a caller needs to know of `/v1/auth/organization`, and of acting for another one. */
import { uuidPattern } from '../../core/ids/ids.ts'
import { userRoles } from '../../core/user-role.ts'
import type { JsonSchema } from '../../platform/validation/json-schema.ts'
import { sessionSeconds } from '../../platform/security/session-token.ts'
import type { Operation } from '../../http/route.ts'
import { bodyProblems, nameText } from '../configuration/operation-parts.ts'
import { readProblems, writeProblems } from '../configuration/operation-parts.ts'
import { count, integerOrNull, objectOf, time, uuid } from '../response-schemas.ts'

const tag = 'organization'
export const roleSchema: JsonSchema = { enum: userRoles }

const nameSchema: JsonSchema = {
  ...nameText,
  description: 'As people know it. Several organizations may have the same.'
}

const organization = objectOf({
  organization_id: uuid,
  name: { type: 'string' },
  rate_limit_points: {
    ...integerOrNull,
    description: 'Decisions it may send in a window; null follows the gateway.'
  },
  created_at: time,
  members: { ...count, description: 'How many people belong to it.' },
  role: { ...roleSchema, description: 'Yours.' }
})

const example = {
  organization_id: '01938c4e-0000-7000-8000-5b7a9f002f6d',
  name: 'Acme Agents',
  rate_limit_points: null,
  created_at: '2026-01-31T12:00:00.000Z',
  members: 3,
  role: 'owner'
}

export const showOrganizationOperation: Operation = {
  ...{ operation_id: 'showOrganization', tag, summary: 'Read your organization' },
  description: 'The one that your session acts for.',
  response: { 200: { description: 'The organization.', schema: organization, example } },
  problems: [...readProblems, 'organization_not_found']
}

export const changeOrganizationOperation: Operation = {
  ...{ operation_id: 'changeOrganization', tag, summary: 'Rename your organization' },
  description: 'For admins.',
  body: {
    schema: {
      type: 'object',
      properties: { name: nameSchema },
      required: ['name'],
      additionalProperties: false
    },
    example: { name: 'Acme Agents' }
  },
  response: { 200: { description: 'As it is now.', schema: organization, example } },
  problems: [...writeProblems, 'organization_not_found']
}

export const switchOrganizationOperation: Operation = {
  ...{ operation_id: 'switchOrganization', tag, summary: 'Act for another organization' },
  description:
    'Answers another access token for the same session. Refreshing it stays with that ' +
    'organization, and the next login begins there.',
  body: {
    schema: {
      type: 'object',
      properties: {
        organization_id: {
          type: 'string',
          pattern: uuidPattern,
          description: 'One that you belong to.'
        }
      },
      required: ['organization_id'],
      additionalProperties: false
    },
    example: { organization_id: example.organization_id }
  },
  response: {
    200: {
      description: 'The token is valid for 15 minutes.',
      schema: objectOf({
        access_token: { type: 'string', description: 'JWT, signed with ES256.' },
        token_type: { const: 'Bearer' },
        expires_in: { const: sessionSeconds, description: 'Seconds.' },
        organization_id: uuid,
        role: { ...roleSchema, description: 'Yours, there.' }
      }),
      example: {
        access_token: 'eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJzbHVpY2UifQ.c2lnbmF0dXJl',
        token_type: 'Bearer',
        expires_in: sessionSeconds,
        organization_id: example.organization_id,
        role: 'member'
      }
    }
  },
  problems: [...readProblems, ...bodyProblems, 'organization_not_found']
}
