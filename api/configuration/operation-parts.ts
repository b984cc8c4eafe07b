/** Parts of operations that change or show what an organization configures. */
import { displayNamePattern } from '../../core/display-name-pattern.ts'
import type { ProblemCode } from '../../core/problem.ts'
import type { JsonSchema } from '../../platform/validation/json-schema.ts'
import { objectOf } from '../response-schemas.ts'

export const nameCharsMax = 100

/** What the store can keep as it came: no U+0000, and no half of a surrogate pair. */
export const plainText = '^[^\\u0000\\ud800-\\udfff]*$'

/** A name that people choose for something. */
export const nameText = {
  type: 'string',
  minLength: 1,
  maxLength: nameCharsMax,
  pattern: displayNamePattern
} as const

export const nameSchema: JsonSchema = { ...nameText, description: 'No other of its kind has it.' }

export function idParams(name: string, pattern: string, description: string): JsonSchema {
  return {
    type: 'object',
    required: [name],
    properties: { [name]: { type: 'string', pattern, description } }
  }
}

/** The answer to a deletion. */
export function deletedSchema(name: string): JsonSchema {
  return objectOf({ [name]: { type: 'string' }, deleted: { const: true } })
}

export const readProblems = [
  'session_required',
  'session_invalid',
  'store_unavailable'
] as const satisfies readonly ProblemCode[]

export const deleteProblems = [
  ...readProblems,
  'role_missing'
] as const satisfies readonly ProblemCode[]

/** Of a body, whoever may send it. */
export const bodyProblems = [
  'malformed_json',
  'malformed_encoding',
  'malformed_request',
  'body_timeout',
  'payload_too_large',
  'unsupported_media_type',
  'invalid_body',
  'overloaded'
] as const satisfies readonly ProblemCode[]

export const writeProblems = [
  ...deleteProblems,
  ...bodyProblems
] as const satisfies readonly ProblemCode[]
