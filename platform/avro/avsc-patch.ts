/** Makes avsc reject invalid arrays, maps and strings, which it otherwise accepts unchecked.
 *
 * Two defects of avsc 5.7; for each, a test fails once the library has fixed it:
 * - avsc trusts the item count of an array or map, so a few bytes make it build millions of
 *   items. No upstream issue; the Java library fixed the same defect as AVRO-4324.
 * - avsc replaces bytes that are not UTF-8 with U+FFFD and throws no error (mtth/avsc#374).
 */
import { isUtf8 } from 'node:buffer'
import avro from 'avsc'

/** What the reading of texts, arrays and maps needs of the library's inside. */
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
 * avsc trusts the count before an array or map: with eleven bytes that claim fifty million items,
 * the process runs out of memory. An item has at least one byte, so no count can exceed the
 * number of bytes left.
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

/** A negative count is followed by the block's size in bytes. */
function blockCount(tap: Tap): number {
  const count = tap.readLong()
  if (count < 0) tap.skipLong()
  const left = tap.buf.length - tap.pos
  if (Math.abs(count) <= left || count === 0) return Math.abs(count)
  throw new RangeError(`a block claims ${Math.abs(count)} items and ${left} bytes are left`)
}

/** What stands where bytes were no UTF-8; a text may also hold it by itself. */
const replacement = '\ufffd'

/**
 * avsc repairs what is not UTF-8, so that a lone surrogate or half a character would be stored as
 * something else than was written. The bytes are looked at only where a repair may have been made.
 */
function unrepairedTexts(): void {
  const text = avro.types.StringType.prototype as unknown as Text
  const readRepaired = text._read
  text._read = function readText(tap) {
    const start = tap.pos
    // Nothing where the bytes end before the text does; avsc finds that out at the end.
    const read = readRepaired.call(this, tap) as string | undefined
    if (read?.includes(replacement) === true && !isUtf8(bytesOfText(tap, start))) {
      throw new TypeError('a text is not UTF-8')
    }
    return read as string
  }
}

/** The bytes of a text that begins at `start`, without its length; `tap` stays where it is. */
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
