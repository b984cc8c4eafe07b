/** Patches avsc to reject invalid arrays, maps and strings.
 *
 * avsc 5.7 has two defects. Each has a test that fails once avsc fixes the defect:
 * - avsc trusts the item count of an array or map, so a few bytes make it allocate millions of
 *   items. There is no upstream issue; AVRO-4324 fixed the same defect in the Java library.
 * - avsc replaces invalid UTF-8 with U+FFFD instead of throwing an error (mtth/avsc#374).
 */
import { isUtf8 } from 'node:buffer'
import avro from 'avsc'

/** Internals of avsc that its type definitions omit. */
interface Tap {
  readonly buf: Buffer
  pos: number
  readLong(): number
  skipLong(): void
  readString(): string
  skipString(): void
}
interface ItemType {
  _read(tap: Tap): unknown
  _skip(tap: Tap): void
}
interface Text {
  _read(tap: Tap): string
}
interface Repeated {
  _read(this: { itemsType: ItemType; valuesType: ItemType }, tap: Tap): unknown
  _skip(this: { itemsType: ItemType; valuesType: ItemType }, tap: Tap): void
}

/**
 * Limits the item counts of arrays and maps. avsc trusts a count: eleven bytes that claim fifty
 * million items exhaust the memory of the process. In Sluice's schemas, an item takes at least one
 * byte, so a valid count never exceeds the number of remaining bytes. Items of type null take no
 * bytes, so a valid array of them can be rejected.
 */
function boundedCounts(): void {
  const array = avro.types.ArrayType.prototype as unknown as Repeated
  array._read = function readArray(tap) {
    const items: unknown[] = []
    forEachItem(tap, () => items.push(this.itemsType._read(tap)))
    return items
  }
  array._skip = function skipArray(tap) {
    forEachItem(tap, () => this.itemsType._skip(tap))
  }
  const map = avro.types.MapType.prototype as unknown as Repeated
  map._read = function readMap(tap) {
    const entries: [string, unknown][] = []
    forEachItem(tap, () => entries.push([tap.readString(), this.valuesType._read(tap)]))
    return Object.fromEntries(entries)
  }
  map._skip = function skipMap(tap) {
    forEachItem(tap, () => {
      tap.skipString()
      this.valuesType._skip(tap)
    })
  }
}

function forEachItem(tap: Tap, item: () => void): void {
  for (let count = blockCount(tap); count > 0; count = blockCount(tap)) {
    for (let done = 0; done < count; done++) item()
  }
}

/** Reads the item count of a block. A negative count is followed by the block size in bytes. */
function blockCount(tap: Tap): number {
  const count = tap.readLong()
  if (count < 0) tap.skipLong()
  const left = tap.buf.length - tap.pos
  if (Math.abs(count) <= left || count === 0) return Math.abs(count)
  throw new RangeError(`a block claims ${Math.abs(count)} items, but only ${left} bytes are left`)
}

/** U+FFFD, which avsc substitutes for invalid UTF-8. A valid string can contain it too. */
const replacement = '\ufffd'

/**
 * Rejects strings that are not UTF-8. avsc replaces invalid bytes, for example those of a lone
 * surrogate, so the stored string would differ from the one sent. Only strings that contain the
 * replacement character are checked.
 */
function unrepairedTexts(): void {
  const text = avro.types.StringType.prototype as unknown as Text
  const readRepaired = text._read
  text._read = function readText(tap) {
    const start = tap.pos
    // Undefined if the buffer ends within the string. avsc reports this after reading the record.
    const read = readRepaired.call(this, tap) as string | undefined
    if (read?.includes(replacement) === true && !isUtf8(bytesOfText(tap, start))) {
      throw new TypeError('a text is not UTF-8')
    }
    return read as string
  }
}

/**
 * Returns the bytes of the string that begins at `start`, without its length prefix. Leaves
 * `tap.pos` unchanged.
 */
function bytesOfText(tap: Tap, start: number): Buffer {
  const end = tap.pos
  tap.pos = start
  tap.readLong()
  const bytes = tap.buf.subarray(tap.pos, end)
  tap.pos = end
  return bytes
}

boundedCounts()
unrepairedTexts()
