/** What a caller needs to know of `POST /v1/auth/register`. */
import { apiKeyScopes } from '../../core/ids/api-key.ts'
import type { JsonSchema } from '../../platform/validation/json-schema.ts'
import type { Operation } from '../../http/route.ts'
import { bodyProblems, nameText, plainText } from '../configuration/operation-parts.ts'
import { objectOf, uuid } from '../response-schemas.ts'
import { emailSchema, passwordSchema } from './sessions/login.operation.ts'
import { personExample, personSchema } from './person.ts'
import {
  cookieSchema,
  sessionExample,
  sessionHeaders,
  sessionSchema
} from './sessions/session-answer.ts'

/** Of a person: null is none. */
export const personNameSchema = {
  ...nameText,
  type: ['string', 'null'],
  description: 'As the person wants to be called.'
}

const tokenCharsMax = 200

const stepSchema = objectOf({
  what: { type: 'string' },
  method: { enum: ['GET', 'POST'] },
  path: { type: 'string' },
  credential: { enum: ['api_key', 'session', 'none'] }
})

const keySchema: JsonSchema = {
  ...objectOf({
    id: { type: 'string' },
    key: { type: 'string', description: 'Whole; it is not shown again.' },
    scopes: { type: 'array', items: { enum: apiKeyScopes } }
  }),
  type: ['object', 'null'],
  description: 'The first one; null when none was wanted, or with an invite.'
}

const { required, properties } = objectOf({
  user: personSchema,
  organization: objectOf({ id: uuid, name: { type: 'string' } }),
  api_key: keySchema,
  next: { type: 'array', items: stepSchema, description: 'What to do now.' }
})

export const registerOperation: Operation = {
  operation_id: 'register',
  tag: 'auth',
  summary: 'Register',
  description:
    'An account with an organization of its own, a first API key that may send decisions, and a ' +
    'session; or, with the token of an invite, an account in the organization that invited it. A ' +
    'letter to verify the email is sent. An address may do so 50 times in 15 minutes.',
  body: {
    schema: {
      type: 'object',
      required: ['email', 'password'],
      properties: {
        email: emailSchema,
        password: {
          ...passwordSchema,
          description: 'From 8 to 200 characters; not the email, and not what everybody tries.'
        },
        name: personNameSchema,
        organization_name: {
          ...nameText,
          description: 'Of the new organization; needed without an invite.'
        },
        invite_token: {
          type: 'string',
          minLength: 1,
          maxLength: tokenCharsMax,
          pattern: plainText,
          description: 'Of an invite to this email.'
        },
        create_key: { type: 'boolean', description: 'True if not said.' },
        cookie: cookieSchema
      },
      additionalProperties: false
    },
    example: {
      email: 'ada@example.com',
      password: 'correct horse battery staple',
      name: 'Ada',
      organization_name: 'Example'
    }
  },
  response: {
    201: {
      description: 'All of it is there, and the key works.',
      schema: {
        type: 'object',
        required: [...sessionSchema.required, ...(required as string[])],
        properties: { ...sessionSchema.properties, ...(properties as object) }
      },
      headers: sessionHeaders,
      example: {
        ...sessionExample,
        user: personExample,
        organization: { id: sessionExample.organization_id, name: 'Example' },
        api_key: {
          id: 'Ab3dEf6hIj9k',
          key: 'slk_live_Ab3dEf6hIj9k_0123456789abcdefghijklmnopqrstuv3XkF0q',
          scopes: ['ingest']
        },
        next: [
          {
            what: 'Send a decision with the API key; keep the key, it is not shown again.',
            method: 'POST',
            path: '/v1/ingest',
            credential: 'api_key'
          }
        ]
      }
    }
  },
  problems: [
    ...bodyProblems,
    'registration_closed',
    'email_taken',
    'token_invalid',
    'login_throttled',
    'store_unavailable'
  ]
}
