/** Creates the cells of the evaluator tables in the documentation from the code. */
import { checkTable } from '../../evaluators/heuristics/check-table.ts'
import { jsonSchema } from '../../evaluators/json-schema/json-schema.ts'
import type { Kind } from '../../evaluators/kind.ts'
import { regex } from '../../evaluators/regex/regex.ts'
import { referencePattern, similarity } from '../../evaluators/similarity/similarity.ts'
import { targetPattern } from '../../evaluators/target.ts'
import type { JsonSchema } from '../../platform/validation/json-schema.ts'
import { code } from './pages.ts'

/** Returns the name and the score of each check of the kind `heuristic`. */
export function checkRows(): string[][] {
  return Object.entries(checkTable).map(([name, check]) => [code(name), scoreOf(check as Kind)])
}

function scoreOf({ outputOf }: Kind): string {
  const { data_type, min, max } = outputOf({})
  if (data_type !== 'numeric') return data_type
  return max === null ? `a number from ${min}` : `${min} to ${max}`
}

/** Returns one row for each setting of each check: check, name, allowed values and default. */
export function settingRows(): string[][] {
  return Object.entries(checkTable).flatMap(([name, check]) => {
    return parameterRows(check as Kind).map((cells) => [code(name), ...cells])
  })
}

export const kindParameters: Readonly<Record<'regex' | 'json_schema' | 'similarity', Kind>> = {
  regex: regex as Kind,
  json_schema: jsonSchema as Kind,
  similarity: similarity as Kind
}

/** Returns the name, allowed values and default of each setting of a kind. */
export function parameterRows({ properties, required = [] }: Kind): string[][] {
  return Object.entries(properties).map(([name, schema]) => {
    const ownDefault = 'default' in schema ? code(JSON.stringify(schema['default'])) : '–'
    return [code(name), valueOf(schema), required.includes(name) ? 'required' : ownDefault]
  })
}

const patterns: Readonly<Record<string, string>> = {
  [targetPattern]: '`output`, `input`, or `metadata.` and the name of a member',
  [referencePattern]: '`metadata.` and the name of a member'
}

function valueOf(schema: JsonSchema): string {
  const { type, enum: choices, items, pattern, maxLength } = schema
  if (Array.isArray(choices)) return choices.map(code).join(', ')
  switch (type) {
    case 'array':
      return `a list of ${valueOf(items as JsonSchema)}`
    case 'boolean':
      return '`true`, `false`'
    case 'object':
      return 'a JSON Schema (2020-12)'
    case 'integer':
      return `a whole number, ${rangeOf(schema)}`
    case 'number':
      return `a number, ${rangeOf(schema)}`
    default:
      return patterns[String(pattern)] ?? textOf(maxLength)
  }
}

function textOf(maxLength: unknown): string {
  if (typeof maxLength !== 'number') return 'some of `i`, `m`, `s`'
  return `a text of up to ${maxLength.toLocaleString('en-US')} characters`
}

function rangeOf({ minimum, exclusiveMinimum, maximum }: JsonSchema): string {
  const from = typeof exclusiveMinimum === 'number' ? `above ${exclusiveMinimum}` : String(minimum)
  return typeof maximum === 'number'
    ? `${from} to ${maximum.toLocaleString('en-US')}`
    : `${from} and above`
}
