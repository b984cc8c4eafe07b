/** Caches the encoded bytes and decoded objects of Avro records marked `"shared": true`.
 *
 * Many values contain the same record. The encoder copies the cached bytes, and the decoder
 * compares them with its input. Either takes a twentieth of the time needed to process every field.
 */
import avro from 'avsc'

/** Internals of avsc that its type definitions omit. */
interface Tap {
  readonly buf: Buffer
  pos: number
  writeFixed(bytes: Buffer, length: number): void
}
interface TypeInternals {
  _read(tap: Tap): object
  _write(tap: Tap, value: object): void
}

interface CachedRecord {
  readonly bytes: Buffer
  readonly value: object
  /**
   * Up to `followersMax` records that have followed this one, most recently added first. Rules run
   * evaluators in a fixed order, so the same record often follows again.
   */
  followers: readonly CachedRecord[]
}

const followersMax = 4
/**
 * Maximum number of cached records. Together with `cachedBytesMax`, it bounds memory. Most records
 * take a few hundred bytes.
 */
const cacheMax = 20_000
const cachedBytesMax = 4096

/**
 * Implements avsc's `typeHook`.
 * @returns undefined if the schema is not marked as shared
 */
export function sharedRecordOf(
  schema: avro.Schema | null,
  options: avro.ForSchemaOptions
): avro.Type | undefined {
  if (!isShared(schema)) return undefined
  const bare = { ...schema, shared: false }
  const plain = avro.Type.forSchema(bare)
  const type = avro.Type.forSchema(bare, options)
  const { _read, _write } = createSharedCodec(plain as unknown as TypeInternals, plain)
  // avsc freezes its types, so a derived object overrides the two methods.
  return Object.create(type, { _read: { value: _read }, _write: { value: _write } }) as avro.Type
}

function isShared(schema: unknown): schema is avro.schema.RecordType {
  return (schema as { readonly shared?: unknown } | null)?.shared === true
}

/** @param plain reads and writes the record field by field */
function createSharedCodec(plain: TypeInternals, plainType: avro.Type): TypeInternals {
  const bytesOf = new WeakMap<object, Buffer>()
  const byText = new Map<string, CachedRecord>()
  let last = createRoot()

  /**
   * @returns null if the record exceeds `cachedBytesMax` or is truncated; avsc rejects truncated
   * input later
   */
  function cacheRecord(tap: Tap, start: number, value: object): CachedRecord | null {
    if (tap.pos > tap.buf.length || tap.pos - start > cachedBytesMax) return null
    const bytes = Buffer.allocUnsafeSlow(tap.pos - start)
    tap.buf.copy(bytes, 0, start, tap.pos)
    const text = bytes.toString('latin1')
    const cached = byText.get(text) ?? { bytes, value: Object.freeze(value), followers: [] }
    if (byText.size >= cacheMax) {
      byText.clear()
      last = createRoot()
    }
    byText.set(text, cached)
    return cached
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
      const cached = cacheRecord(tap, start, value)
      if (cached === null) return value
      const others = last.followers.filter((follower) => follower !== cached)
      last.followers = [cached, ...others].slice(0, followersMax)
      last = cached
      return cached.value
    },
    _write: (tap, value) => {
      const bytes = bytesOf.get(value) ?? plainType.toBuffer(value)
      bytesOf.set(value, bytes)
      tap.writeFixed(bytes, bytes.length)
    }
  }
}

/** Creates the placeholder that precedes the first record. */
function createRoot(): CachedRecord {
  return { bytes: Buffer.alloc(0), value: {}, followers: [] }
}

/**
 * Checks whether `bytes` come next in the buffer. Encoded records are self-delimiting, so a match
 * covers the whole record.
 */
function isAt({ buf, pos }: Tap, bytes: Buffer): boolean {
  const end = pos + bytes.length
  return end <= buf.length && buf.compare(bytes, 0, bytes.length, pos, end) === 0
}
