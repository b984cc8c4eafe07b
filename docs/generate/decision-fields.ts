/** Formats the fields of a decision, based on the schema of the request body. */
import schema from '../../schemas/decision.body.schema.json' with { type: 'json' }
import { decisionFields } from '../source/decision-fields.ts'
import { code, formatTable } from './markdown.ts'

interface FieldSchema {
  readonly description?: string
  readonly type?: string | readonly string[]
  readonly pattern?: string
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
}

const types: Readonly<Record<string, string>> = {
  string: 'text',
  object: 'object',
  integer: 'whole number'
}

function typeOf({ type, pattern = '', maxLength, minimum, maximum }: FieldSchema): string {
  if (type === undefined) return 'any JSON value, including `null`'
  if (pattern.includes('a-fA-F')) return 'UUID'
  const name = types[[type].flat()[0] ?? ''] ?? ''
  if (maxLength !== undefined) return `${name}, at most ${maxLength} characters without U+0000`
  if (minimum === undefined || maximum === undefined) return name
  const most = maximum === Number.MAX_SAFE_INTEGER ? '2^53 − 1' : String(maximum)
  return `${name} from ${minimum} to ${most}`
}

export function formatDecisionFields(): string {
  const properties: Readonly<Record<string, FieldSchema>> = schema.properties
  const fields = Object.entries(properties)
  const rows = fields.map(([name, field]) => [
    code(name),
    schema.required.includes(name) ? 'yes' : 'no',
    typeOf(field),
    decisionFields[name as keyof typeof decisionFields]
  ])
  return formatTable(['field', 'required', 'type', 'meaning'], rows)
}
