/** Decodes Avro without the codec under test; written from the Avro specification. */

type Schema = string | Schema[] | ComplexSchema
type ComplexSchema = {
  type: Schema
  name?: string
  fields?: { name: string; type: Schema }[]
  items?: Schema
  values?: Schema
  symbols?: string[]
}

export class AvroReader {
  private readonly named = new Map<string, ComplexSchema>()
  private readonly bytes: Buffer
  private offset = 0

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  read(schema: Schema): unknown {
    if (Array.isArray(schema)) return this.read(at(schema, this.readLong()))
    if (typeof schema === 'string') return this.readNamed(schema)
    if (schema.name !== undefined) this.named.set(schema.name, schema)
    if (schema.type === 'record') return this.readRecord(schema)
    if (schema.type === 'enum') return at(schema.symbols ?? [], this.readLong())
    if (schema.type === 'array') return this.readBlocks(() => this.read(schema.items ?? 'null'))
    if (schema.type === 'map') return Object.fromEntries(this.readEntries(schema.values ?? 'null'))
    return this.read(schema.type)
  }

  /**
   * Checks that every byte was read.
   * @throws if bytes are left over, which means that a value was misread
   */
  end(): void {
    const left = this.bytes.length - this.offset
    if (left > 0) throw new Error(`${left} bytes are left after the value`)
  }

  private readNamed(name: string): unknown {
    if (name === 'null') return null
    if (name === 'boolean') return this.take(1)[0] === 1
    if (name === 'int' || name === 'long') return this.readLong()
    if (name === 'float') return this.take(4).readFloatLE()
    if (name === 'double') return this.take(8).readDoubleLE()
    if (name === 'bytes') return this.take(this.readLong())
    if (name === 'string') return this.take(this.readLong()).toString('utf8')
    const schema = this.named.get(name)
    if (schema === undefined) throw new Error(`the schema has no type ${name}`)
    return this.read(schema)
  }

  private readRecord({ fields = [] }: ComplexSchema): Record<string, unknown> {
    return Object.fromEntries(fields.map((field) => [field.name, this.read(field.type)]))
  }

  private readEntries(values: Schema): [string, unknown][] {
    return this.readBlocks(() => [String(this.read('string')), this.read(values)])
  }

  private readBlocks<T>(readItem: () => T): T[] {
    const items: T[] = []
    for (let count = this.readLong(); count !== 0; count = this.readLong()) {
      // A negative item count is followed by the block size in bytes, which is not needed here.
      if (count < 0) this.readLong()
      for (let index = 0; index < Math.abs(count); index += 1) items.push(readItem())
    }
    return items
  }

  /** Reads a zigzag varint: seven bits per byte, least significant group first. */
  private readLong(): number {
    let bits = 0n
    for (let shift = 0n, more = true; more; shift += 7n) {
      const byte = this.take(1)[0] ?? 0
      bits |= BigInt(byte & 0x7f) << shift
      more = byte >= 0x80
    }
    return Number((bits >> 1n) ^ -(bits & 1n))
  }

  private take(size: number): Buffer {
    const end = this.offset + size
    if (size < 0 || end > this.bytes.length) throw new Error(`no ${size} bytes at ${this.offset}`)
    const taken = this.bytes.subarray(this.offset, end)
    this.offset = end
    return taken
  }
}

function at<T>(list: readonly T[], index: number): T {
  const item = list[index]
  if (item === undefined) throw new Error(`branch ${index} of ${list.length} does not exist`)
  return item
}

/**
 * Decodes one value.
 * @throws if bytes are left over
 */
export function readAvro(schemaText: string, bytes: Buffer): unknown {
  const reader = new AvroReader(bytes)
  const value = reader.read(JSON.parse(schemaText) as Schema)
  reader.end()
  return value
}

/**
 * Splits a Kafka message value in Confluent wire format: a zero byte, a 4-byte schema id, then
 * Avro.
 */
export function readWireFormat(value: Buffer): { schemaId: number; payload: Buffer } {
  if (value[0] !== 0) throw new Error(`the first byte is ${value[0]}, not 0`)
  const [a = 0, b = 0, c = 0, d = 0] = value.subarray(1, 5)
  return { schemaId: ((a * 256 + b) * 256 + c) * 256 + d, payload: value.subarray(5) }
}
