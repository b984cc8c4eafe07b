/** JSON Schema checks, compiled once; what fails is named by its JSON pointer. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ErrorObject } from 'ajv/dist/2020.js'
import { fewStars, starsMax } from '../../core/evaluation/rule.ts'
import { uuidPattern } from '../../core/ids/ids.ts'
import { pointerTo } from '../../core/json/json-pointer.ts'
import { displayNamePattern } from '../../core/display-name-pattern.ts'
import type { Violation } from '../../core/problem.ts'

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
  const validate = compilerOf(options.coerce === true).compile({ ...schema })

  return function check(value) {
    return validate(value) ? nothingWrong : (validate.errors ?? []).map(violationOf)
  }
}

const compilers = new Map<boolean, Ajv2020>()

/** Shared by all schemas, because each new compiler spends about 20 ms on the meta-schema. */
function compilerOf(coerce: boolean): Ajv2020 {
  const known = compilers.get(coerce)
  if (known !== undefined) return known
  const compiler = new Ajv2020({
    allErrors: true,
    // A parameter that is given once is a list of one where a list is taken.
    coerceTypes: coerce ? 'array' : false,
    strict: true,
    strictTypes: false,
    allowUnionTypes: true,
    useDefaults: coerce,
    verbose: true,
    // Identify a schema by its object, not by its $id: two schemas may share an $id.
    addUsedSchema: false
  })
  compilers.set(coerce, compiler)
  return compiler
}

/** A missing member is named by where it ought to be. */
function violationOf(error: ErrorObject): Violation {
  const missing: unknown = error.params['missingProperty'] ?? error.params['additionalProperty']
  const pointer = error.instancePath + (typeof missing === 'string' ? pointerTo(missing) : '')
  const known = Object.keys((error.parentSchema?.['properties'] ?? {}) as object)
  const isUnknown = error.keyword === 'additionalProperties' && known.length > 0
  const rest = isUnknown ? `; known are ${known.join(', ')}` : ''
  return { pointer, detail: detailOf(error) + rest }
}

type Params = Readonly<Record<string, unknown>>

/** Sentences for people, in place of the library's. A missing keyword keeps the library's. */
const sentences: Readonly<Record<string, (params: Params) => string | undefined>> = {
  required: () => 'is required',
  additionalProperties: () => 'is not known here',
  enum: ({ allowedValues }) => `must be one of ${(allowedValues as unknown[]).join(', ')}`,
  type: ({ type }) => `must be ${[type].flat().map(withArticle).join(' or ')}`,
  minLength: ({ limit }) => `must have at least ${charactersOf(limit)}`,
  maxLength: ({ limit }) => `must have at most ${charactersOf(limit)}`,
  minimum: ({ limit }) => `must be at least ${String(limit)}`,
  maximum: ({ limit }) => `must be at most ${String(limit)}`,
  pattern: ({ pattern }) => patternSentences.get(pattern)
}

const patternSentences = new Map<unknown, string>([
  ['^[^\\u0000]*$', 'must not hold the character U+0000'],
  ['^[^\\u0000\\ud800-\\udfff]*$', 'must hold neither U+0000 nor half of a surrogate pair'],
  [displayNamePattern, 'must not contain links, control characters or invisible characters'],
  ['^[\\x21-\\x7e]+$', 'must be visible ASCII characters without spaces'],
  [fewStars, `must hold at most ${starsMax} times the character *`],
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

/** What would be right, in a few words; never a part of the value. */
export function detailOf(error: ErrorObject): string {
  const { keyword, params, message } = error
  return sentences[keyword]?.(params) ?? exampleOf(error) ?? message ?? 'is not valid'
}

/** A pattern says little to people: where its schema has examples, they say more. */
function exampleOf({ keyword, parentSchema }: ErrorObject): string | undefined {
  const examples: unknown = parentSchema?.['examples']
  if (keyword !== 'pattern' || !Array.isArray(examples)) return undefined
  return `must be such as ${examples.join(' or ')}`
}
