/** Compares the fields of two versions of an Avro schema. */
import type { AvroSchema } from '../../platform/avro/avro-codec.ts'

interface Field {
  readonly name: string
  readonly type: unknown
  readonly default?: unknown
}

type Records = ReadonlyMap<string, readonly Field[]>

/**
 * Finds changes that a schema registry accepts as compatible but that break readers silently.
 * Examples are a text field that becomes bytes, and a renamed field that readers find empty.
 * @returns one sentence per change
 */
export function fieldChangesOf(earlier: AvroSchema, later: AvroSchema): string[] {
  const before = recordsOf(earlier)
  return [...recordsOf(later)].flatMap(([record, fields]) => {
    const known = before.get(record)
    if (known === undefined) return []
    const added = fields.filter((field) => !isKnown(field, known) && !isOptional(field))
    return [
      ...known.flatMap((field) => lossOf(`${record}.${field.name}`, field, fields)),
      ...added.map(
        ({ name }) => `${record}.${name} is new and is not ["null", …] with default null`
      )
    ]
  })
}

function lossOf(path: string, field: Field, fields: readonly Field[]): string[] {
  const now = fields.find(({ name }) => name === field.name)
  if (now === undefined) return [`${path} was removed or renamed`]
  const [was, is] = [shapeOf(field.type), shapeOf(now.type)]
  if (was !== is) return [`${path} changed from ${was} to ${is}`]
  const isBare = field.default !== undefined && now.default === undefined
  return isBare ? [`${path} lost its default`] : []
}

function isKnown({ name }: Field, known: readonly Field[]): boolean {
  return known.some((field) => field.name === name)
}

function isOptional({ type, default: fallback }: Field): boolean {
  return Array.isArray(type) && type[0] === 'null' && fallback === null
}

interface ComplexType {
  readonly type: unknown
  readonly name?: string
  readonly logicalType?: string
  readonly fields?: readonly Field[]
  readonly items?: unknown
  readonly values?: unknown
}

/** Returns all records in a schema by name, including nested ones. */
function recordsOf(schema: unknown): Records {
  const records = new Map<string, readonly Field[]>()
  const visit = (type: unknown): void => {
    if (typeof type !== 'object' || type === null) return
    const { name = '', fields = [], items, values } = type as ComplexType
    if (fields.length > 0) records.set(name, fields)
    const inside = Array.isArray(type) ? type : [items, values, ...fields.map((each) => each.type)]
    for (const each of inside) visit(each)
  }
  visit(schema)
  return records
}

/** Describes a type briefly, without documentation. A named type is described by its name. */
function shapeOf(type: unknown): string {
  if (typeof type !== 'object' || type === null) return String(type)
  if (Array.isArray(type)) return `[${type.map(shapeOf).join(', ')}]`
  const { type: kind, name, logicalType, items, values } = type as ComplexType
  if (name !== undefined) return `${shapeOf(kind)} ${name}`
  if (items !== undefined) return `array of ${shapeOf(items)}`
  if (values !== undefined) return `map of ${shapeOf(values)}`
  return logicalType === undefined ? shapeOf(kind) : `${shapeOf(kind)} (${logicalType})`
}
