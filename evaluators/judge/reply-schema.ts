/** The shape of a judge's reply: it reasons first, since a grade that comes first is a guess. */
import type { JudgeScale } from './judge-config.ts'

export type ReplySchema = Readonly<Record<string, unknown>>

/** Within what servers hold models to: every member required, no bounds, no other members. */
export function replySchemaOf(scale: JudgeScale): ReplySchema {
  const grade =
    scale.type === 'choice'
      ? { label: { type: 'string', enum: Object.keys(scale.labels) } }
      : { score: { type: 'number', description: `from ${scale.min} to ${scale.max}` } }
  const properties = {
    reasoning: { type: 'string', description: 'a few sentences that lead to the grade' },
    ...grade,
    // The same for every request, so that servers can keep the schema; only the prompt tells it.
    nonce: { type: 'string' }
  }
  return {
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false
  }
}
