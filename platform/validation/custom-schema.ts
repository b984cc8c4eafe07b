/** JSON Schemas of customers: closed to the network, bounded in size, their patterns linear. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ErrorObject } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Violation } from '../../core/problem.ts'
import { CpuLimitError, cpuLimit } from './cpu-limit.ts'
import { detailOf } from './json-schema.ts'
import type { JsonSchema } from './json-schema.ts'
import { compileLinearRegex } from './linear-regex.ts'
import { findSchemaFlaws } from './schema-flaws.ts'

/** A text of a schema that is longer is refused. */
export const schemaCharactersMax = 65_536
const compileMsMax = 1000
const dialects = new Set<unknown>([
  undefined,
  'https://json-schema.org/draft/2020-12/schema',
  'https://json-schema.org/draft/2020-12/schema#'
])

export interface SchemaFailure {
  /** Which keyword of the schema says so, as a pointer into the schema. */
  readonly schemaPointer: string
  /** Which part of the value does not fit; its names may be the value's own. */
  readonly valuePointer: string
  /** What would fit; never a part of the value. */
  readonly detail: string
}

/**
 * The first thing that does not fit, or null. A schema can be written so that this takes for ever:
 * run it under a limit. @throws {CpuLimitError} where the schema calls itself without end
 */
export type CustomSchema = (value: unknown) => SchemaFailure | null

/** @throws {Error} when the schema is one that `checkCustomSchema` objects to */
export function compileCustomSchema(schema: JsonSchema): CustomSchema {
  // Its dialect was checked, and the compiler does not know the schema of schemas.
  const rest = Object.fromEntries(Object.entries(schema).filter(([name]) => name !== '$schema'))
  const validate = cpuLimit(() => makeCompiler().compile(rest), compileMsMax)
  return function check(value) {
    try {
      if (validate(value)) return null
    } catch (error) {
      // Tests have errors of another realm, so the class cannot be asked for.
      if ((error as Error).name !== 'RangeError') throw error
      throw new CpuLimitError('the schema calls itself too often', { cause: error, computedMs: 0 })
    }
    const [error] = validate.errors ?? []
    if (error === undefined) return null
    return failureOf(error)
  }
}

/** Everything that keeps a schema from being used; pointers begin at the schema. */
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

/** What the compiler objects to that the looks before it did not see. */
function refusalOf(schema: JsonSchema): readonly Violation[] {
  try {
    compileCustomSchema(schema)
    return []
  } catch (error) {
    const { message } = error as Error
    const detail =
      error instanceof CpuLimitError ? 'takes too long to compile; make it smaller' : message
    return [{ pointer: '', detail }]
  }
}

/** Keywords of other drafts and dialects, which the library would take or pass over. */
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

/** It knows the schema of schemas, which takes long to compile: there is one for all. */
function schemaReader(): Ajv2020 {
  return (reader ??= new Ajv2020({ allErrors: true, logger: false }))
}

function isKeyword(name: string): boolean {
  return Object.hasOwn(schemaReader().RULES.keywords, name) && !foreign.has(name)
}

function isFormat(name: string): boolean {
  return Object.hasOwn((formatsHome ??= makeCompiler()).formats, name)
}

/** Keywords with values that they cannot have. */
function misusesIn(schema: JsonSchema): readonly Violation[] {
  const ajv = schemaReader()
  if (ajv.validateSchema({ ...schema }) === true) return []
  const details = new Map<string, string>()
  for (const error of ajv.errors ?? []) {
    if (!details.has(error.instancePath)) details.set(error.instancePath, detailOf(error))
  }
  return [...details].map(([pointer, detail]) => ({ pointer, detail }))
}

/** A name of the prototype is no member of a value, and no reference is written out in place. */
function makeCompiler(): Ajv2020 {
  const regExp = Object.assign(
    (pattern: string, flags: string) => {
      return compileLinearRegex(pattern, flags)
    },
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
