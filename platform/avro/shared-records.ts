/** Records that many values have in common, marked with `"shared": true` in their schema.
 *
 * Each is written from bytes that are kept, and read as the object that is kept: encoding copies
 * them and decoding compares them, which costs a twentieth of building them field by field.
 */
import avro from 'avsc'

/** What of the library's inside is needed here, besides avsc-patch.ts. */
interface Tap {
  readonly buf: Buffer
  pos: number
  writeFixed(bytes: Buffer, length: number): void
}
interface Inside {
  _read(tap: Tap): object
  _write(tap: Tap, value: object): void
}

interface Known {
  readonly bytes: Buffer
  readonly value: object
  /** What followed it before, the latest first: rules run their evaluators in one order. */
  followers: readonly Known[]
}

const followersMax = 4
/** A bound on memory; each has some hundreds of bytes. */
const knownMax = 20_000

/** For `typeHook` of avsc. @returns undefined for other schemas */
export function sharedRecordOf(
  schema: avro.Schema | null,
  options: avro.ForSchemaOptions
): avro.Type | undefined {
  if (!isShared(schema)) return undefined
  const bare = { ...schema, shared: false }
  const plain = avro.Type.forSchema(bare)
  const type = avro.Type.forSchema(bare, options)
  const { _read, _write } = sharing(plain as unknown as Inside, plain)
  // Types are frozen, so this one inherits everything else.
  return Object.create(type, { _read: { value: _read }, _write: { value: _write } }) as avro.Type
}

function isShared(schema: unknown): schema is avro.schema.RecordType {
  return (schema as { readonly shared?: unknown } | null)?.shared === true
}

/** @param plain the same record, read and written field by field */
function sharing(plain: Inside, plainType: avro.Type): Inside {
  const bytesOf = new WeakMap<object, Buffer>()
  const byText = new Map<string, Known>()
  let last: Known = { bytes: Buffer.alloc(0), value: {}, followers: [] }

  /** Null when bytes are missing, which avsc notices at the end of all. */
  function learn(tap: Tap, start: number, value: object): Known | null {
    if (tap.pos > tap.buf.length) return null
    const bytes = Buffer.from(tap.buf.subarray(start, tap.pos))
    const text = bytes.toString('latin1')
    const known = byText.get(text) ?? { bytes, value: Object.freeze(value), followers: [] }
    if (byText.size >= knownMax) byText.clear()
    byText.set(text, known)
    return known
  }

  return {
    _read: (tap) => {
      const next = last.followers.find(({ bytes }) => isAt(tap, bytes))
      if (next !== undefined) {
        tap.pos += next.bytes.length
        last = next
        return next.value
      }
      const start = tap.pos
      const value = plain._read(tap)
      const known = learn(tap, start, value)
      if (known === null) return value
      const others = last.followers.filter((follower) => follower !== known)
      last.followers = [known, ...others].slice(0, followersMax)
      last = known
      return known.value
    },
    _write: (tap, value) => {
      const bytes = bytesOf.get(value) ?? plainType.toBuffer(value)
      bytesOf.set(value, bytes)
      tap.writeFixed(bytes, bytes.length)
    }
  }
}

function isAt({ buf, pos }: Tap, bytes: Buffer): boolean {
  const end = pos + bytes.length
  return end <= buf.length && buf.compare(bytes, 0, bytes.length, pos, end) === 0
}
