/** What a caller needs to know of `POST /v1/auth/login`. */
import type { JsonSchema } from '../../../platform/validation/json-schema.ts'
import { uuidPattern } from '../../../core/ids/ids.ts'
import type { Operation } from '../../../http/route.ts'
import { bodyProblems, plainText } from '../../configuration/operation-parts.ts'
import { loginsLimit } from '../throttle.ts'
import { cookieSchema, sessionExample, sessionHeaders, sessionSchema } from './session-answer.ts'

/** Some more than an account may have; long texts are refused before they are hashed. */
const emailCharsMax = 320
const passwordCharsMax = 1024

export const emailSchema: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: emailCharsMax,
  pattern: plainText,
  description: 'Upper and lower case are the same.'
}

/** Of an account that there is: what it may be is checked where it is set. */
export const passwordSchema: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: passwordCharsMax
}

export const loginOperation: Operation = {
  operation_id: 'login',
  tag: 'auth',
  summary: 'Log in',
  description:
    'Begins a session. A wrong password and an unknown email are answered alike. In 15 minutes ' +
    'an address may try an account 10 times and all accounts 50 times. After 100 tries from all ' +
    'addresses an account is open only to those it has logged in from within 90 days. A try that ' +
    `succeeds does not count there; an account logs in ${loginsLimit.points} times in 15 minutes.`,
  body: {
    schema: {
      type: 'object',
      required: ['email', 'password'],
      properties: {
        email: emailSchema,
        password: passwordSchema,
        organization_id: {
          type: 'string',
          pattern: uuidPattern,
          description: 'One that the person belongs to; else the one of the last time.'
        },
        invite_token: {
          type: 'string',
          minLength: 1,
          maxLength: 100,
          pattern: plainText,
          description:
            'Of an invite for this email: it is accepted first, and the session acts for its ' +
            'organization. So somebody comes in who belongs to no other.'
        },
        cookie: cookieSchema
      },
      additionalProperties: false
    },
    example: { email: 'ada@example.com', password: 'correct horse battery staple' }
  },
  response: {
    200: {
      description: 'The session lives for 30 days after its last refresh, and for 90 at most.',
      schema: sessionSchema,
      example: sessionExample,
      headers: sessionHeaders
    }
  },
  problems: [
    ...bodyProblems,
    'login_failed',
    'organization_not_found',
    'token_invalid',
    'already_member',
    'login_throttled',
    'store_unavailable'
  ]
}
