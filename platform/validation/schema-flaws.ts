/** Finds flaws in a customer's JSON Schema and locates each by JSON pointer. */
import { pointerTo } from '../../core/json/json-pointer.ts'
import type { Violation } from '../../core/problem.ts'
import type { JsonSchema } from './json-schema.ts'
import { PatternError, compileLinearRegex } from './linear-regex.ts'

/** Maximum number of schemas within a schema. `schemaDepthMax` limits how deeply they nest. */
const subschemasMax = 500
const schemaDepthMax = 32
/**
 * Maximum number of patterns in a schema. `patternInstructionsMax` limits the instructions of all
 * patterns together, because compiling the schema compiles all of them.
 */
export const patternsMax = 100
const patternInstructionsMax = 5000
const flawsMax = 20

/**
 * Keywords that contain schemas: as their value, in a list, or in an object with arbitrary names.
 */
const within: ReadonlyMap<string, 'value' | 'list' | 'names'> = new Map([
  ...['additionalProperties', 'contains', 'contentSchema', 'else', 'if', 'items'].map(asValue),
  ...['not', 'propertyNames', 'then', 'unevaluatedItems', 'unevaluatedProperties'].map(asValue),
  ...['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((name) => [name, 'list'] as const),
  ...['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties'].map(
    (name) => [name, 'names'] as const
  )
])

function asValue(name: string): readonly [string, 'value'] {
  return [name, 'value']
}

interface Place {
  readonly schema: unknown
  readonly pointer: string
  readonly depth: number
}

/** Keywords and formats that the library supports. */
interface SchemaVocabulary {
  isKeyword(name: string): boolean
  isFormat(name: string): boolean
}

/**
 * Returns up to `flawsMax` flaws: unknown keywords and formats, invalid references and patterns,
 * and exceeded limits. Does not check the types of keyword values.
 */
export function findSchemaFlaws(
  root: JsonSchema,
  vocabulary: SchemaVocabulary
): readonly Violation[] {
  const flaws: Violation[] = []
  const patternFlaws = createPatternFlaws()
  const pending: Place[] = [{ schema: root, pointer: '', depth: 1 }]
  for (let seen = 0; seen < pending.length && flaws.length < flawsMax; seen++) {
    const place = pending[seen] as Place
    if (seen >= subschemasMax) {
      return [{ pointer: '', detail: `must contain at most ${subschemasMax} schemas` }]
    }
    if (place.depth > schemaDepthMax) {
      return [...flaws, flaw(place.pointer, `nests more than ${schemaDepthMax} schemas`)]
    }
    for (const [name, value] of membersOf(place.schema)) {
      const pointer = place.pointer + pointerTo(name)
      flaws.push(...flawsOf({ name, value, root }, pointer, vocabulary))
      flaws.push(...patternsIn(name, value, pointer).flatMap(patternFlaws))
      pending.push(...schemasIn(name, value, { ...place, pointer }))
    }
  }
  return flaws.slice(0, flawsMax)
}

function flaw(pointer: string, detail: string): Violation {
  return { pointer, detail }
}

function membersOf(schema: unknown): [string, unknown][] {
  return typeof schema === 'object' && schema !== null ? Object.entries(schema) : []
}

interface Member {
  readonly name: string
  readonly value: unknown
  readonly root: JsonSchema
}

function flawsOf(
  { name, value, root }: Member,
  pointer: string,
  vocabulary: SchemaVocabulary
): Violation[] {
  if (!vocabulary.isKeyword(name)) {
    return [flaw(pointer, 'is not a keyword of JSON Schema 2020-12')]
  }
  switch (name) {
    case '$ref':
    case '$dynamicRef':
      return referenceFlaws(value, root, pointer)
    case 'format':
      return formatFlaws(value, pointer, vocabulary)
    case 'properties':
      return prototypeFlaws(value, pointer)
    default:
      return []
  }
}

/** Rejects `__proto__`, because the library ignores this name and would accept any value. */
function prototypeFlaws(value: unknown, pointer: string): Violation[] {
  const isNamed = membersOf(value).some(([name]) => name === '__proto__')
  return isNamed ? [flaw(`${pointer}/__proto__`, 'is a name that cannot be checked')] : []
}

function formatFlaws(value: unknown, pointer: string, { isFormat }: SchemaVocabulary): Violation[] {
  if (typeof value !== 'string' || isFormat(value)) return []
  return [flaw(pointer, 'is not a supported format. Allowed: date-time, email, uri, uuid')]
}

interface Pattern {
  readonly text: string
  readonly pointer: string
}

function patternsIn(name: string, value: unknown, pointer: string): Pattern[] {
  if (name === 'pattern' && typeof value === 'string') return [{ text: value, pointer }]
  if (name !== 'patternProperties') return []
  return membersOf(value).map(([text]) => ({ text, pointer: pointer + pointerTo(text) }))
}

/**
 * Returns a function that compiles a pattern and returns its flaws. It stops compiling once the
 * number or total size of the patterns exceeds its limit.
 */
function createPatternFlaws(): (pattern: Pattern) => Violation[] {
  let patterns = 0
  let instructions = 0

  return function flawsOfPattern({ text, pointer }) {
    patterns += 1
    if (patterns > patternsMax) {
      return patterns === patternsMax + 1 ? [flaw('', tooManyPatterns)] : []
    }
    if (instructions > patternInstructionsMax) return []
    try {
      instructions += compileLinearRegex(text).size
    } catch (error) {
      if (!(error instanceof PatternError)) throw error
      return [flaw(pointer, error.message)]
    }
    return instructions > patternInstructionsMax ? [flaw(pointer, tooLargePatterns)] : []
  }
}

const tooManyPatterns = `must contain at most ${patternsMax} patterns`
const tooLargePatterns =
  'makes the patterns of the schema too large together; use fewer repetitions and classes'

function referenceFlaws(reference: unknown, root: JsonSchema, pointer: string): Violation[] {
  if (typeof reference !== 'string') return []
  if (!reference.startsWith('#')) {
    return [
      flaw(
        pointer,
        'must point into this schema, such as #/$defs/name; other schemas are not fetched'
      )
    ]
  }
  const isMissing = reference.startsWith('#/') && !leadsSomewhere(reference, root)
  return isMissing ? [flaw(pointer, 'points to nothing in this schema')] : []
}

function leadsSomewhere(reference: string, root: JsonSchema): boolean {
  let value: unknown = root
  for (const part of reference.slice(2).split('/')) {
    const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return false
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  return true
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function schemasIn(name: string, value: unknown, { pointer, depth }: Place): Place[] {
  const kind = within.get(name)
  if (kind === undefined) return []
  if (kind === 'value') return [{ schema: value, pointer, depth: depth + 1 }]
  // Only objects and lists have members. The check of the keyword's value reports other types.
  return membersOf(value).map(([key, schema]) => {
    return { schema, pointer: pointer + pointerTo(key), depth: depth + 1 }
  })
}
