/** Columns of many rows as arrays of Postgres, for `unnest`, in the form that costs least.
 *
 * The client's own way is one long text for each array, with every quote and backslash in it
 * escaped, which the server takes apart again. For the texts of decisions that was a third of
 * storage's work. Postgres's binary form needs neither.
 */

interface Encoding<T> {
  /** Number of the element's type in pg_type; these never change. */
  readonly type: number
  sizeOf(value: T): number
  /** @returns how many bytes were written. */
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
/** Postgres counts from 2000 on, in microseconds. */
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
/** Values are whole milliseconds since 1970. */
export const timestamptzArray = (values: readonly (number | null)[]): Buffer =>
  arrayOf(timestamptz, values)

const headerBytes = 20
const lengthBytes = 4
const nullLength = -1

/** One dimension, counted from 1; each element behind its length. */
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

/** Short, and nothing in them has to be escaped: as a text they are cheapest. */
export function uuidArray(values: readonly string[]): string {
  const list = values.join(',')
  const length = Math.max(0, values.length * (uuidCharacters + 1) - 1)
  if (list.length !== length || !uuidList.test(list))
    throw new TypeError('one of the values is no UUID in lower case')
  return `{${list}}`
}

export const bigintArray = (values: readonly (number | null)[]): string => listOf(values)
/** Every value is finite. */
export const float8Array = (values: readonly (number | null)[]): string => listOf(values)
export const booleanArray = (values: readonly (boolean | null)[]): string => listOf(values)

function listOf(values: readonly (number | boolean | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`
}

/** One array as a text: an array of arrays would have to be as wide in each row. */
export function textArrayLiteral(values: readonly (string | number | boolean | null)[]): string {
  let elements = ''
  for (const value of values) elements += `,${literalOf(value)}`
  return `{${elements.slice(1)}}`
}

function literalOf(value: string | number | boolean | null): string {
  if (typeof value !== 'string') return value === null ? 'NULL' : String(value)
  // Most texts have neither, and a look is cheaper than a replacement.
  return /["\\]/.test(value) ? `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"` : `"${value}"`
}
