/** A query parameter that is compared with a stored text. */
import type { JsonSchema } from '../platform/validation/json-schema.ts'

/** The store takes no U+0000, and no stored text has one. */
export function textFilter(description: string, maxLength: number): JsonSchema {
  return { type: 'string', minLength: 1, maxLength, pattern: '^[^\\u0000]*$', description }
}
