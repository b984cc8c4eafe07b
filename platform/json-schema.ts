/** JSON Schema checks, compiled once; what fails is named by its JSON pointer. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ErrorObject } from 'ajv/dist/2020.js'
import { pointerTo } from '../core/json-pointer.ts'
import type { Violation } from '../core/problem.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

/** Returns what is wrong with a value; an empty list means it fits. */
export type Check = (value: unknown) => readonly Violation[]

const nothingWrong: readonly Violation[] = Object.freeze([])

/**
 * Every problem is reported, not only the first. That is safe for our own schemas alone: they are
 * flat, so the work is bounded by the schema and not by the caller.
 * `coerce` reads query strings: "5" becomes 5 in the value that was passed.
 */
export function createCheck(schema: JsonSchema, options: { coerce?: boolean } = {}): Check {
  const ajv = new Ajv2020({
    allErrors: true,
    coerceTypes: options.coerce ?? false,
    strict: true,
    strictTypes: false,
    allowUnionTypes: true,
    useDefaults: options.coerce ?? false
  })
  const validate = ajv.compile({ ...schema })

  return function check(value) {
    return validate(value) ? nothingWrong : (validate.errors ?? []).map(violationOf)
  }
}

/** A missing member is named by where it ought to be. */
function violationOf(error: ErrorObject): Violation {
  const missing: unknown = error.params['missingProperty'] ?? error.params['additionalProperty']
  const pointer = error.instancePath + (typeof missing === 'string' ? pointerTo(missing) : '')
  return { pointer, detail: detailOf(error) }
}

function detailOf(error: ErrorObject): string {
  if (error.keyword === 'required') return 'is required'
  if (error.keyword === 'additionalProperties') return 'is not known here'
  if (error.keyword === 'enum') {
    return `must be one of ${(error.params['allowedValues'] as unknown[]).join(', ')}`
  }
  return error.message ?? 'is not valid'
}
