/** A schema as part of another, so it goes without an identity of its own. */
import type { JsonSchema } from '../platform/validation/json-schema.ts'

export function embedded({ $id: _, ...schema }: JsonSchema): JsonSchema {
  return schema
}
