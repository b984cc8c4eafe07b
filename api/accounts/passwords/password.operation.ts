/** What a caller needs to know of passwords: changed, forgotten, and set by letter. */
import type { JsonSchema } from '../../../platform/validation/json-schema.ts'
import type { Operation } from '../../../http/route.ts'
import { bodyProblems, plainText, readProblems } from '../../configuration/operation-parts.ts'
import { count, objectOf } from '../../response-schemas.ts'
import { emailSchema, passwordSchema } from '../sessions/login.operation.ts'

const tag = 'auth'
const tokenCharsMax = 200

export const letterTokenSchema: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: tokenCharsMax,
  pattern: plainText,
  description: 'As it stands in the letter; it is used once.'
}

const newPassword = {
  ...passwordSchema,
  description: 'From 8 to 200 characters; not the email, and not what everybody tries.'
}

const done = (description: string) => ({
  description,
  schema: objectOf({ sessions_ended: count }),
  example: { sessions_ended: 2 }
})

export const changePasswordOperation: Operation = {
  operation_id: 'changePassword',
  tag,
  summary: 'Change your password',
  description:
    'Ends all other sessions of the person. A wrong password counts like a login that failed.',
  body: {
    schema: {
      type: 'object',
      required: ['current_password', 'new_password'],
      properties: { current_password: passwordSchema, new_password: newPassword },
      additionalProperties: false
    },
    example: {
      current_password: 'correct horse battery staple',
      new_password: 'a longer horse with another staple'
    }
  },
  response: { 200: done('The new one counts from now on.') },
  problems: [...readProblems, ...bodyProblems, 'login_throttled']
}

export const forgotPasswordOperation: Operation = {
  operation_id: 'forgotPassword',
  tag,
  summary: 'Ask for a new password',
  description:
    'A letter with a token goes to the address, if an account has it; the answer is the same ' +
    'either way. In 15 minutes an email address gets at most 5 of these emails for the requests ' +
    'of one network, and 20 in all.',
  body: {
    schema: {
      type: 'object',
      required: ['email'],
      properties: { email: emailSchema },
      additionalProperties: false
    },
    example: { email: 'ada@example.com' }
  },
  response: {
    202: {
      description: 'A letter is on its way, if there is somebody to write to.',
      schema: objectOf({ accepted: { const: true } }),
      example: { accepted: true }
    }
  },
  problems: [...bodyProblems, 'login_throttled', 'store_unavailable']
}

export const resetPasswordOperation: Operation = {
  operation_id: 'resetPassword',
  tag,
  summary: 'Set a new password',
  description: 'With the token of a letter. Ends all sessions of the person.',
  body: {
    schema: {
      type: 'object',
      required: ['token', 'new_password'],
      properties: { token: letterTokenSchema, new_password: newPassword },
      additionalProperties: false
    },
    example: {
      token: 'slp_2JX0PbVyQ4nUq1mT8sKd7fHg3wZc6rEoLi9vNaYbB5M',
      new_password: 'a longer horse with another staple'
    }
  },
  response: { 200: done('Log in with the new one.') },
  problems: [...bodyProblems, 'token_invalid', 'login_throttled', 'store_unavailable']
}
