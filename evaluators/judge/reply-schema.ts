/** Creates the JSON Schema of a judge's reply. The reasoning comes before the grade, so that the
 * model derives the grade from it.
 */
import type { JudgeScale } from './judge-config.ts'

export type ReplySchema = Readonly<Record<string, unknown>>

/**
 * Uses only what model servers enforce: all members are required, no others are allowed, and
 * numbers have no bounds.
 */
export function replySchemaOf(scale: JudgeScale): ReplySchema {
  const grade =
    scale.type === 'choice'
      ? { label: { type: 'string', enum: Object.keys(scale.labels) } }
      : { score: { type: 'number', description: `from ${scale.min} to ${scale.max}` } }
  const properties = {
    reasoning: { type: 'string', description: 'a few sentences that lead to the grade' },
    ...grade,
    // The schema does not contain the value of the nonce. It is therefore the same for every
    // request, and servers can cache it.
    nonce: { type: 'string' }
  }
  return {
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false
  }
}
