/** Custom JSON Schemas: compiles customers' schemas without network access, with bounded size and
 * linear-time patterns.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ErrorObject } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Violation } from '../../core/problem.ts'
import { CpuLimitError, cpuLimit } from './cpu-limit.ts'
import { detailOf } from './json-schema.ts'
import type { JsonSchema } from './json-schema.ts'
import { compileLinearRegex } from './linear-regex.ts'
import { findSchemaFlaws } from './schema-flaws.ts'

/** Maximum length of a schema in characters, as JSON text. */
const schemaCharactersMax = 65_536
const compileMsMax = 1000
const dialects = new Set<unknown>([
  undefined,
  'https://json-schema.org/draft/2020-12/schema',
  'https://json-schema.org/draft/2020-12/schema#'
])

export interface SchemaFailure {
  /** JSON pointer to the failed keyword in the schema. */
  readonly schemaPointer: string
  /**
   * JSON pointer to the invalid part of the value. It can contain property names from the value.
   */
  readonly valuePointer: string
  /** What the schema expects. Never contains a part of the value. */
  readonly detail: string
}

/**
 * Returns the first failure, or null if the value is valid. A malicious schema can make it run
 * forever, so call it under a CPU limit.
 * @throws {CpuLimitError} if the schema recurses too deeply
 */
export type CustomSchema = (value: unknown) => SchemaFailure | null

/**
 * Compiles a schema that `checkCustomSchema` has accepted. Does not repeat its other checks.
 * @throws {Error} if the schema does not compile
 * @throws {CpuLimitError} if compiling takes longer than `compileMsMax`
 */
export function compileCustomSchema(schema: JsonSchema): CustomSchema {
  // Removes `$schema`: it has already been checked, and the compiler does not know the meta-schema.
  const rest = Object.fromEntries(Object.entries(schema).filter(([name]) => name !== '$schema'))
  const validate = cpuLimit(() => makeCompiler().compile(rest), compileMsMax)
  return function check(value) {
    try {
      if (validate(value)) return null
    } catch (error) {
      // In tests, errors come from another realm, so `instanceof` does not work.
      if ((error as Error).name !== 'RangeError') throw error
      throw new CpuLimitError('the schema calls itself too often', { cause: error, computedMs: 0 })
    }
    const [error] = validate.errors ?? []
    if (error === undefined) return null
    return failureOf(error)
  }
}

/**
 * Runs several checks and returns the violations that the first failed check found; empty if the
 * schema can be used. Pointers are relative to the schema.
 */
export function checkCustomSchema(schema: JsonSchema): readonly Violation[] {
  if (JSON.stringify(schema).length > schemaCharactersMax) {
    const most = schemaCharactersMax.toLocaleString('en-US')
    return [{ pointer: '', detail: `must have at most ${most} characters as JSON` }]
  }
  if (!dialects.has(schema['$schema'])) {
    const detail = 'must be https://json-schema.org/draft/2020-12/schema, or absent'
    return [{ pointer: '/$schema', detail }]
  }
  const flaws = findSchemaFlaws(schema, { isKeyword, isFormat })
  if (flaws.length > 0) return flaws
  const misuses = misusesIn(schema)
  return misuses.length > 0 ? misuses : refusalOf(schema)
}

/**
 * Compiles the schema, which finds errors that `findSchemaFlaws` and `misusesIn` cannot, for
 * example a reference to a missing anchor.
 */
function refusalOf(schema: JsonSchema): readonly Violation[] {
  try {
    compileCustomSchema(schema)
    return []
  } catch (error) {
    const { message } = error as Error
    const detail =
      error instanceof CpuLimitError ? 'takes too long to compile; use a smaller schema' : message
    return [{ pointer: '', detail }]
  }
}

/** Keywords of other drafts and dialects, which the library would accept or silently ignore. */
const foreign = new Set([
  '$async',
  '$recursiveAnchor',
  '$recursiveRef',
  'additionalItems',
  'dependencies',
  'id',
  'nullable'
])

let formatsHome: Ajv2020 | undefined
let reader: Ajv2020 | undefined

/**
 * Returns the Ajv instance that validates schemas against the meta-schema. It is shared, because
 * compiling the meta-schema is slow.
 */
function schemaReader(): Ajv2020 {
  return (reader ??= new Ajv2020({ allErrors: true, logger: false }))
}

function isKeyword(name: string): boolean {
  return Object.hasOwn(schemaReader().RULES.keywords, name) && !foreign.has(name)
}

function isFormat(name: string): boolean {
  return Object.hasOwn((formatsHome ??= makeCompiler()).formats, name)
}

/** Returns a violation for each keyword with an invalid value. */
function misusesIn(schema: JsonSchema): readonly Violation[] {
  const ajv = schemaReader()
  if (ajv.validateSchema({ ...schema }) === true) return []
  const details = new Map<string, string>()
  for (const error of ajv.errors ?? []) {
    if (!details.has(error.instancePath)) details.set(error.instancePath, detailOf(error))
  }
  return [...details].map(([pointer, detail]) => ({ pointer, detail }))
}

/**
 * Creates a compiler that ignores inherited properties of values and does not inline references.
 */
function makeCompiler(): Ajv2020 {
  const regExp = Object.assign(
    // Ajv compiles two patterns once if their `toString` is equal.
    (pattern: string, flags: string) => ({
      ...compileLinearRegex(pattern, flags),
      toString: () => `/${pattern}/${flags}`
    }),
    { code: 'linear' }
  )
  const ajv = new Ajv2020({
    allowUnionTypes: true,
    code: { regExp },
    inlineRefs: false,
    logger: false,
    meta: false,
    ownProperties: true,
    strict: true,
    strictRequired: false,
    strictTuples: false,
    strictTypes: false,
    validateSchema: false
  })
  addFormats.default(ajv, { mode: 'fast' })
  return ajv
}

function failureOf(error: ErrorObject): SchemaFailure {
  const schemaPointer = error.schemaPath.startsWith('#')
    ? error.schemaPath.slice(1)
    : error.schemaPath
  return { schemaPointer, valuePointer: error.instancePath, detail: detailOf(error) }
}
