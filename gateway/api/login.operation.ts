/** What a caller needs to know of `POST /v1/auth/login`. */
import { sessionSeconds } from '../../platform/session-token.ts'
import type { Operation } from '../route.ts'
import { objectOf, uuid } from './response-schemas.ts'

/** The store takes no U+0000; long texts are refused before they are hashed. */
const emailCharsMax = 320
const passwordCharsMax = 1024

export const loginOperation: Operation = {
  operation_id: 'login',
  tag: 'auth',
  summary: 'Log in',
  description:
    'Answers an access token for `Authorization: Bearer`. A wrong password and an unknown email ' +
    'are answered alike. In 15 minutes an account may be tried 10 times and an address may try ' +
    '50 times, whether it works or not.',
  body: {
    schema: {
      type: 'object',
      required: ['email', 'password'],
      properties: {
        email: {
          type: 'string',
          minLength: 1,
          maxLength: emailCharsMax,
          pattern: '^[^\\u0000]*$',
          description: 'Upper and lower case are the same.'
        },
        password: { type: 'string', minLength: 1, maxLength: passwordCharsMax }
      },
      additionalProperties: false
    },
    example: { email: 'ada@example.com', password: 'correct horse battery staple' }
  },
  response: {
    200: {
      description: 'The token is valid for 15 minutes.',
      schema: objectOf({
        access_token: { type: 'string', description: 'JWT, signed with ES256.' },
        token_type: { const: 'Bearer' },
        expires_in: { const: sessionSeconds, description: 'Seconds.' },
        organization_id: uuid
      }),
      example: {
        access_token: 'eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJzbHVpY2UifQ.c2lnbmF0dXJl',
        token_type: 'Bearer',
        expires_in: sessionSeconds,
        organization_id: '01938c4e-0000-7000-8000-5b7a9f002f6d'
      }
    }
  },
  problems: [
    'malformed_json',
    'malformed_encoding',
    'malformed_request',
    'login_failed',
    'body_timeout',
    'payload_too_large',
    'unsupported_media_type',
    'invalid_body',
    'login_throttled',
    'overloaded',
    'store_unavailable'
  ]
}
