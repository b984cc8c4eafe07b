/** Parses JSON text, decoding escaped member names correctly and, on request, keeping all digits of
 * numbers.
 */
import { skipSpace, skipString, skipValue } from '../../core/json/json-members.ts'
import { Decimal, isDecimalNeeded } from './decimal.ts'

/** Maximum nesting depth. Code that walks a value relies on it. */
export const valueDepthMax = 64

interface ReadOptions {
  /** Whether numbers that lose digits as doubles become decimals. */
  readonly isExact?: boolean
}

/** Returns the value of valid JSON, or undefined if it nests too deeply. */
export function jsonValueOf(json: string, { isExact = false }: ReadOptions = {}): unknown {
  const start = skipSpace(json, 0)
  if (skipValue(json, start, valueDepthMax) < 0) return undefined
  // JSON.parse can misread escaped names (nodejs/node#63785), so `read` parses texts that contain
  // them.
  const isPlain = !hasEscapedName(json) && !(isExact && isDecimalNeeded(json))
  return isPlain ? JSON.parse(json) : read({ json, at: start, isExact })
}

/** Checks whether valid JSON contains a member name with an escape. */
export function hasEscapedName(json: string): boolean {
  let backslash = json.indexOf('\\')
  while (backslash >= 0) {
    const open = openingQuote(json, backslash)
    const end = skipString(json, open)
    if (json.charAt(skipSpace(json, end)) === ':') return true
    backslash = json.indexOf('\\', end)
  }
  return false
}

/**
 * Returns the position of a string's opening quote, which is the last quote before the first
 * backslash in the string.
 */
function openingQuote(json: string, backslash: number): number {
  return json.lastIndexOf('"', backslash)
}

interface Reader {
  readonly json: string
  readonly isExact: boolean
  at: number
}

function read(reader: Reader): unknown {
  const { json, at } = reader
  switch (json.charAt(at)) {
    case '{':
      return readObject(reader)
    case '[':
      return readArray(reader)
    default:
      reader.at = skipValue(json, at, 0)
      return scalarOf(json.slice(at, reader.at), reader.isExact)
  }
}

function scalarOf(json: string, isExact: boolean): unknown {
  const value: unknown = JSON.parse(json)
  return typeof value === 'number' && isExact && isDecimalNeeded(json) ? new Decimal(json) : value
}

function readArray(reader: Reader): unknown[] {
  const values: unknown[] = []
  reader.at = skipSpace(reader.json, reader.at + 1)
  while (reader.json.charAt(reader.at) !== ']') {
    values.push(read(reader))
    skipComma(reader)
  }
  reader.at += 1
  return values
}

function readObject(reader: Reader): object {
  const members: [string, unknown][] = []
  const { json } = reader
  reader.at = skipSpace(json, reader.at + 1)
  while (json.charAt(reader.at) !== '}') {
    const nameEnd = skipString(json, reader.at)
    const name = String(JSON.parse(json.slice(reader.at, nameEnd)))
    reader.at = skipSpace(json, skipSpace(json, nameEnd) + 1)
    members.push([name, read(reader)])
    skipComma(reader)
  }
  reader.at += 1
  return Object.fromEntries(members)
}

function skipComma(reader: Reader): void {
  const { json } = reader
  const at = skipSpace(json, reader.at)
  reader.at = json.charAt(at) === ',' ? skipSpace(json, at + 1) : at
}
