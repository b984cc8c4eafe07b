/** JSON Schema checks: validates values with precompiled schemas and locates violations by JSON
 * pointer.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ErrorObject } from 'ajv/dist/2020.js'
import { starsPattern, starsMax } from '../../core/evaluation/rule.ts'
import { uuidPattern } from '../../core/ids/ids.ts'
import { pointerTo } from '../../core/json/json-pointer.ts'
import { displayNamePattern } from '../../core/display-name-pattern.ts'
import type { Violation } from '../../core/problem.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

/** Returns all violations of a value; empty if it is valid. */
export type Check = (value: unknown) => readonly Violation[]

const nothingWrong: readonly Violation[] = Object.freeze([])

/**
 * Compiles a check that reports all violations, not only the first. Use it only for Sluice's own
 * schemas: they are flat, so the schema and not the caller determines the amount of work. `coerce`
 * is for query strings. It changes the passed value: it replaces "5" with 5 and adds defaults.
 */
export function createCheck(schema: object, options: { coerce?: boolean } = {}): Check {
  const validate = compilerOf(options.coerce === true).compile({ ...schema })

  return function check(value) {
    return validate(value) ? nothingWrong : (validate.errors ?? []).map(violationOf)
  }
}

const compilers = new Map<boolean, Ajv2020>()

/** Returns the shared compiler. Each new compiler would spend about 20 ms on the meta-schema. */
function compilerOf(coerce: boolean): Ajv2020 {
  const known = compilers.get(coerce)
  if (known !== undefined) return known
  const compiler = new Ajv2020({
    allErrors: true,
    // Where the schema expects a list, a single parameter becomes a list with one item.
    coerceTypes: coerce ? 'array' : false,
    strict: true,
    strictTypes: false,
    allowUnionTypes: true,
    useDefaults: coerce,
    verbose: true,
    // Identifies schemas by object instead of `$id`, because two schemas can have the same `$id`.
    addUsedSchema: false
  })
  compilers.set(coerce, compiler)
  return compiler
}

/** Converts an error. For a missing property, the pointer is where the property should be. */
function violationOf(error: ErrorObject): Violation {
  const missing: unknown = error.params['missingProperty'] ?? error.params['additionalProperty']
  const pointer = error.instancePath + (typeof missing === 'string' ? pointerTo(missing) : '')
  const known = Object.keys((error.parentSchema?.['properties'] ?? {}) as object)
  const isUnknown = error.keyword === 'additionalProperties' && known.length > 0
  const rest = isUnknown ? `. Allowed: ${known.join(', ')}` : ''
  return { pointer, detail: detailOf(error) + rest }
}

type Params = Readonly<Record<string, unknown>>

/**
 * Replacements for the library's messages, by keyword. Other keywords keep the library's messages.
 */
const sentences: Readonly<Record<string, (params: Params) => string | undefined>> = {
  required: () => 'is required',
  additionalProperties: () => 'is an unknown property',
  enum: ({ allowedValues }) => `must be one of ${(allowedValues as unknown[]).join(', ')}`,
  type: ({ type }) => `must be ${[type].flat().map(withArticle).join(' or ')}`,
  minLength: ({ limit }) => `must have at least ${charactersOf(limit)}`,
  maxLength: ({ limit }) => `must have at most ${charactersOf(limit)}`,
  minimum: ({ limit }) => `must be at least ${String(limit)}`,
  maximum: ({ limit }) => `must be at most ${String(limit)}`,
  pattern: ({ pattern }) => patternSentences.get(pattern)
}

const patternSentences = new Map<unknown, string>([
  ['^[^\\u0000]*$', 'must not contain the character U+0000'],
  ['^[^\\u0000\\ud800-\\udfff]*$', 'must contain neither U+0000 nor unpaired surrogates'],
  [displayNamePattern, 'must not contain links, control characters or invisible characters'],
  ['^[\\x21-\\x7e]+$', 'must be visible ASCII characters without spaces'],
  [starsPattern, `must contain at most ${starsMax} asterisks (*)`],
  [uuidPattern, 'must be a UUID such as 01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55']
])

const articles: Readonly<Record<string, string>> = {
  null: 'null',
  integer: 'a whole number',
  object: 'an object',
  array: 'an array'
}

function withArticle(type: unknown): string {
  return articles[String(type)] ?? `a ${String(type)}`
}

function charactersOf(count: unknown): string {
  return count === 1 ? '1 character' : `${String(count)} characters`
}

/** Describes what the schema expects, without quoting any part of the value. */
export function detailOf(error: ErrorObject): string {
  const { keyword, params, message } = error
  return sentences[keyword]?.(params) ?? exampleOf(error) ?? message ?? 'is not valid'
}

/**
 * Returns a message with the schema's examples, if any, because examples explain more than a
 * pattern.
 */
function exampleOf({ keyword, parentSchema }: ErrorObject): string | undefined {
  const examples: unknown = parentSchema?.['examples']
  if (keyword !== 'pattern' || !Array.isArray(examples)) return undefined
  return `must be a value like ${examples.join(' or ')}`
}
