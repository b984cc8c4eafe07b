/** What a caller needs to know of the email of a person, and of the keys of tokens. */
import type { Operation } from '../../http/route.ts'
import { bodyProblems, readProblems } from '../configuration/operation-parts.ts'
import { objectOf } from '../response-schemas.ts'
import { letterTokenSchema } from './passwords/password.operation.ts'

const tag = 'auth'
const emailState = objectOf({ email: { type: 'string' }, email_verified: { type: 'boolean' } })

export const verifyEmailOperation: Operation = {
  operation_id: 'verifyEmail',
  tag,
  summary: 'Verify an email',
  description: 'With the token of the letter that was sent to it.',
  body: {
    schema: {
      type: 'object',
      required: ['token'],
      properties: { token: letterTokenSchema },
      additionalProperties: false
    },
    example: { token: 'sle_2JX0PbVyQ4nUq1mT8sKd7fHg3wZc6rEoLi9vNaYbB5M' }
  },
  response: {
    200: {
      description: 'It is verified.',
      schema: emailState,
      example: { email: 'ada@example.com', email_verified: true }
    }
  },
  problems: [...bodyProblems, 'token_invalid', 'login_throttled', 'store_unavailable']
}

export const sendVerificationOperation: Operation = {
  operation_id: 'sendVerification',
  tag,
  summary: 'Send the letter again',
  description:
    'A letter to verify the email of the person, unless it is verified. The token of an earlier ' +
    'letter is over then. In 15 minutes an email address gets at most 5 of these emails for ' +
    'the requests of one network, and 20 in all.',
  response: {
    202: {
      description: 'It is on its way, unless the email is verified.',
      schema: emailState,
      example: { email: 'ada@example.com', email_verified: false }
    }
  },
  problems: [...readProblems, 'login_throttled']
}

export const showKeysOperation: Operation = {
  operation_id: 'showSigningKeys',
  tag,
  summary: 'The keys of access tokens',
  description: 'A JSON Web Key Set: the key that signs now, then earlier ones that still count.',
  response: {
    200: {
      description: 'Public keys, as RFC 7517 has them.',
      schema: objectOf({
        keys: {
          type: 'array',
          items: objectOf({
            kty: { const: 'EC' },
            crv: { const: 'P-256' },
            x: { type: 'string' },
            y: { type: 'string' },
            kid: { type: 'string', description: 'Its RFC 7638 thumbprint.' },
            use: { const: 'sig' },
            alg: { const: 'ES256' }
          })
        }
      }),
      example: {
        keys: [
          {
            kty: 'EC',
            crv: 'P-256',
            x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
            y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
            kid: 'oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U',
            use: 'sig',
            alg: 'ES256'
          }
        ]
      }
    }
  },
  problems: []
}
