/** What a caller needs to know of `POST /v1/auth/register`, and of confirming it. */
import { apiKeyScopes } from '../../core/ids/api-key.ts'
import type { JsonSchema } from '../../platform/validation/json-schema.ts'
import type { Operation } from '../../http/route.ts'
import { bodyProblems, nameText, plainText } from '../configuration/operation-parts.ts'
import { objectOf, uuid } from '../response-schemas.ts'
import { letterTokenSchema } from './passwords/password.operation.ts'
import { emailSchema, passwordSchema } from './sessions/login.operation.ts'
import { personExample, personSchema } from './person.ts'
import { registrationHours } from './registrations.ts'
import {
  cookieSchema,
  sessionExample,
  sessionHeaders,
  sessionSchema
} from './sessions/session-answer.ts'
import { confirmationLimit } from './throttle.ts'

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

const opened = {
  description: 'All of it is there, and the key works.',
  schema: {
    type: 'object',
    required: [...sessionSchema.required, ...(required as string[])],
    properties: { ...sessionSchema.properties, ...(properties as object) }
  },
  headers: sessionHeaders,
  example: {
    ...sessionExample,
    user: { ...personExample, email_verified: true },
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

export const registerOperation: Operation = {
  operation_id: 'register',
  tag: 'auth',
  summary: 'Register',
  description:
    'Sends an email to the address. Its token confirms the registration; if the email has an ' +
    'account, the email says so instead, and the response is the same. With the token of an ' +
    'invite, the response is an account in the organization that sent it, and a session. In 15 ' +
    'minutes an address may do so 50 times. An email address then gets at most 5 such emails ' +
    'for the requests of one network, and 20 in all.',
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
        create_key: {
          type: 'boolean',
          description: 'Whether a first API key is made; true if not said.'
        },
        cookie: { ...cookieSchema, description: `With an invite. ${cookieSchema.description}` }
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
    201: { ...opened, description: 'With an invite: the account and a session.' },
    202: {
      description: `An email is on its way; confirm within ${registrationHours} hours.`,
      schema: objectOf({ accepted: { const: true } }),
      example: { accepted: true }
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

export const confirmRegistrationOperation: Operation = {
  operation_id: 'confirmRegistration',
  tag: 'auth',
  summary: 'Confirm a registration',
  description:
    'Creates the account with the token of the email and the password that was registered: an ' +
    'organization of its own, a first API key that may send decisions, and a session. The email ' +
    'counts as verified. A wrong password does not use up the token; a token takes ' +
    `${confirmationLimit.points} wrong passwords.`,
  body: {
    schema: {
      type: 'object',
      required: ['token', 'password'],
      properties: {
        token: letterTokenSchema,
        password: { ...passwordSchema, description: 'The one that was registered.' },
        cookie: cookieSchema
      },
      additionalProperties: false
    },
    example: {
      token: 'slc_2JX0PbVyQ4nUq1mT8sKd7fHg3wZc6rEoLi9vNaYbB5M',
      password: 'correct horse battery staple'
    }
  },
  response: { 201: opened },
  problems: [
    ...bodyProblems,
    'login_failed',
    'registration_closed',
    'email_taken',
    'token_invalid',
    'login_throttled',
    'store_unavailable'
  ]
}
