/** Postgres arrays: encodes columns of many rows for `unnest` in the cheapest form.
 *
 * The driver sends an array as one long text in which every quote and backslash is escaped, and the
 * server parses it again. For the texts of decisions, this took a third of the storage consumer's
 * time. Postgres's binary format avoids both steps.
 */

interface Encoding<T> {
  /** OID of the element type in pg_type. The OIDs of built-in types never change. */
  readonly type: number
  sizeOf(value: T): number
  /** @returns the number of bytes written */
  write(array: Buffer, value: T, at: number): number
}

const text: Encoding<string> = {
  type: 25,
  sizeOf: (value) => Buffer.byteLength(value),
  write: (array, value, at) => array.write(value, at)
}

const bytea: Encoding<Buffer> = {
  type: 17,
  sizeOf: ({ length }) => length,
  write: (array, value, at) => value.copy(array, at)
}

const timeBytes = 8
/** The Postgres epoch, 2000-01-01, in milliseconds since 1970. */
const year2000Ms = 946_684_800_000
const microsecondsPerMs = 1000
const wordSize = 2 ** 32

const timestamptz: Encoding<number> = {
  type: 1184,
  sizeOf: () => timeBytes,
  write: (array, value, at) => {
    const microseconds = (value - year2000Ms) * microsecondsPerMs
    const high = Math.floor(microseconds / wordSize)
    array.writeInt32BE(high, at)
    array.writeUInt32BE(microseconds - high * wordSize, at + timeBytes / 2)
    return timeBytes
  }
}

export const textArray = (values: readonly (string | null)[]): Buffer => arrayOf(text, values)
export const byteaArray = (values: readonly Buffer[]): Buffer => arrayOf(bytea, values)
/** Encodes times given as whole milliseconds since 1970. */
export const timestamptzArray = (values: readonly (number | null)[]): Buffer =>
  arrayOf(timestamptz, values)

const headerBytes = 20
const lengthBytes = 4
const nullLength = -1

/** Encodes a one-dimensional array with lower bound 1. Each element is preceded by its length. */
function arrayOf<T>(encoding: Encoding<T>, values: readonly (T | null)[]): Buffer {
  const size = values.reduce<number>(
    (sum, value) => sum + lengthBytes + (value === null ? 0 : encoding.sizeOf(value)),
    headerBytes
  )
  const array = Buffer.allocUnsafe(size)
  const header = [1, values.includes(null) ? 1 : 0, encoding.type, values.length, 1]
  header.forEach((word, index) => array.writeInt32BE(word, index * lengthBytes))
  let at = headerBytes
  for (const value of values) {
    const written = value === null ? 0 : encoding.write(array, value, at + lengthBytes)
    array.writeInt32BE(value === null ? nullLength : written, at)
    at += lengthBytes + written
  }
  return array
}

const uuidCharacters = 36
const uuidList = /^(?:[\da-f-]{36}(?:,|$))*$/

/**
 * Encodes UUIDs as text, the cheapest form for short values that need no escaping.
 * @throws if a value is not 36 characters long or contains anything but `0-9`, `a-f` and `-`
 */
export function uuidArray(values: readonly string[]): string {
  const list = values.join(',')
  const length = Math.max(0, values.length * (uuidCharacters + 1) - 1)
  if (list.length !== length || !uuidList.test(list))
    throw new TypeError('a value is not a lowercase UUID')
  return `{${list}}`
}

export const bigintArray = (values: readonly (number | null)[]): string => listOf(values)
/** Encodes numbers, which must be finite. */
export const float8Array = (values: readonly (number | null)[]): string => listOf(values)
export const booleanArray = (values: readonly (boolean | null)[]): string => listOf(values)

function listOf(values: readonly (number | boolean | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`
}

/**
 * Encodes one array as a text literal. The rows of a nested Postgres array must have equal lengths,
 * so arrays of different lengths are sent as a list of texts.
 */
export function textArrayLiteral(values: readonly (string | number | boolean | null)[]): string {
  let elements = ''
  for (const value of values) elements += `,${literalOf(value)}`
  return `{${elements.slice(1)}}`
}

function literalOf(value: string | number | boolean | null): string {
  if (typeof value !== 'string') return value === null ? 'NULL' : String(value)
  // Most strings contain neither a quote nor a backslash, and testing is cheaper than replacing.
  return /["\\]/.test(value) ? `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"` : `"${value}"`
}
