/** What a version of an Avro schema does to the fields of an earlier one. */
import type { AvroSchema } from '../../platform/avro/avro-codec.ts'

interface Field {
  readonly name: string
  readonly type: unknown
  readonly default?: unknown
}

type Records = ReadonlyMap<string, readonly Field[]>

/**
 * Changes that a registry lets pass as compatible and that still break somebody in silence: a value
 * that is bytes where it was text, or that readers find empty since it has another name.
 * @returns a sentence for each.
 */
export function fieldChangesOf(earlier: AvroSchema, later: AvroSchema): string[] {
  const before = recordsOf(earlier)
  return [...recordsOf(later)].flatMap(([record, fields]) => {
    const known = before.get(record)
    if (known === undefined) return []
    const added = fields.filter((field) => !isKnown(field, known) && !isOptional(field))
    return [
      ...known.flatMap((field) => lossOf(`${record}.${field.name}`, field, fields)),
      ...added.map(({ name }) => `${record}.${name} is new and not ["null", …] with default null`)
    ]
  })
}

function lossOf(path: string, field: Field, fields: readonly Field[]): string[] {
  const now = fields.find(({ name }) => name === field.name)
  if (now === undefined) return [`${path} is gone, or has another name`]
  const [was, is] = [shapeOf(field.type), shapeOf(now.type)]
  if (was !== is) return [`${path} was ${was} and is ${is}`]
  const isBare = field.default !== undefined && now.default === undefined
  return isBare ? [`${path} has lost its default`] : []
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

/** The records of a schema by name, those inside others too. */
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

/** A type in a few words, without its documentation; what has a name is known by it. */
function shapeOf(type: unknown): string {
  if (typeof type !== 'object' || type === null) return String(type)
  if (Array.isArray(type)) return `[${type.map(shapeOf).join(', ')}]`
  const { type: kind, name, logicalType, items, values } = type as ComplexType
  if (name !== undefined) return `${shapeOf(kind)} ${name}`
  if (items !== undefined) return `array of ${shapeOf(items)}`
  if (values !== undefined) return `map of ${shapeOf(values)}`
  return logicalType === undefined ? shapeOf(kind) : `${shapeOf(kind)} (${logicalType})`
}
