/** What is wrong with a customer's JSON Schema, each flaw at its place. */
import { pointerTo } from '../../core/json/json-pointer.ts'
import type { Violation } from '../../core/problem.ts'
import type { JsonSchema } from './json-schema.ts'
import { PatternError, compileLinearRegex } from './linear-regex.ts'

/** Schemas within a schema, and how deeply they nest. */
export const subschemasMax = 500
export const schemaDepthMax = 32
/** Patterns of a schema, and the instructions of all of them: evaluations compile them anew. */
export const patternsMax = 100
export const patternInstructionsMax = 5000
const flawsMax = 20

/** Where schemas stand within a schema: as the value, in a list, or in an object by any name. */
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

/** What the library knows. */
export interface SchemaVocabulary {
  isKeyword(name: string): boolean
  isFormat(name: string): boolean
}

/** The first flaws; an empty list says nothing of the values that keywords have. */
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
      return [{ pointer: '', detail: `must hold at most ${subschemasMax} schemas` }]
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
    return [flaw(pointer, 'is no keyword of JSON Schema 2020-12')]
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

/** The library passes over this name, so that whatever stands there would fit. */
function prototypeFlaws(value: unknown, pointer: string): Violation[] {
  const isNamed = membersOf(value).some(([name]) => name === '__proto__')
  return isNamed ? [flaw(`${pointer}/__proto__`, 'is a name that cannot be checked')] : []
}

function formatFlaws(value: unknown, pointer: string, { isFormat }: SchemaVocabulary): Violation[] {
  if (typeof value !== 'string' || isFormat(value)) return []
  return [flaw(pointer, 'is no format that is known here; date-time, email, uri and uuid are')]
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

/** Compiles each pattern, until there are more or larger ones than a schema may have. */
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

const tooManyPatterns = `must hold at most ${patternsMax} patterns`
const tooLargePatterns =
  'makes the patterns of the schema too large together; use fewer repetitions and classes'

function referenceFlaws(reference: unknown, root: JsonSchema, pointer: string): Violation[] {
  if (typeof reference !== 'string') return []
  if (!reference.startsWith('#')) {
    return [flaw(pointer, 'must point into this schema, such as #/$defs/name; nothing is fetched')]
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
  // Only what is an object or a list has members here; the keyword's own check says the rest.
  return membersOf(value).map(([key, schema]) => {
    return { schema, pointer: pointer + pointerTo(key), depth: depth + 1 }
  })
}
