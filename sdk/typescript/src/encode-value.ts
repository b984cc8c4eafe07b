/** Encodes any value as JSON in a single walk that always terminates. */
import { Captured, writeCaptured } from './captured.ts'
import { noteChange, quote, tooLarge, wellFormed, writeText } from './encoding.ts'
import type { ChangeKind, Encoding } from './encoding.ts'
import { isPlaceholder, keysOf, nameMaxLength, readMember, simplify } from './simplify.ts'

/**
 * Maximum nesting depth of a field. The gateway accepts 64 levels for a whole decision, and a field
 * starts a few levels down.
 */
const depthMax = 56
/** Maximum number of enclosing objects, including those returned by a chain of `toJSON` methods. */
const parentsMax = 4 * depthMax
const skipsPerCharacter = 4

export function writeValue(encoding: Encoding, value: unknown): void {
  switch (typeof value) {
    case 'string':
      return writeText(encoding, value)
    case 'number':
      return writeNumber(encoding, value)
    case 'boolean':
      encoding.text += value ? 'true' : 'false'
      return
    case 'object':
      return writeReference(encoding, value)
    case 'undefined':
      encoding.text += 'null'
      return
    case 'bigint':
      return writeInteger(encoding, value)
    default:
      return replace(encoding, describe(value), 'not_data')
  }
}

function writeNumber(encoding: Encoding, value: number): void {
  if (Number.isFinite(value)) encoding.text += value
  else replace(encoding, String(value), 'not_finite')
}

function writeInteger(encoding: Encoding, value: bigint): void {
  const isSafe = BigInt.asIntN(53, value) === value
  // Converting a huge integer to digits is slow, so reject it first. A digit carries less than four
  // bits.
  const rest = isSafe ? 0n : value >> BigInt(4 * encoding.maxLength)
  if (rest !== 0n && rest !== -1n) throw tooLarge
  encoding.text += value
}

function describe(value: unknown): string {
  try {
    if (typeof value === 'symbol') return `[symbol ${value.description ?? ''}]`
    const { name } = value as { readonly name: string }
    return `[function ${name.slice(0, nameMaxLength) || 'anonymous'}]`
  } catch {
    return `[${typeof value}]`
  }
}

function replace(encoding: Encoding, text: string, kind: ChangeKind): void {
  noteChange(encoding, kind)
  writeText(encoding, text)
}

function writeReference(encoding: Encoding, value: object | null): void {
  if (value === null) encoding.text += 'null'
  else if (Captured.is(value)) writeCaptured(encoding, value)
  else writeObject(encoding, value)
}

function writeObject(encoding: Encoding, value: object): void {
  if (encoding.parents.includes(value)) return replace(encoding, '[circular]', 'circular')
  const simple = simplify(value, encoding.maxLength)
  if (typeof simple !== 'object' || simple === null) return writeValue(encoding, simple)
  if (isPlaceholder(simple)) return replace(encoding, simple.text, simple.kind)
  writeNested(encoding, value, simple)
}

/** Writes `simple` in place of `value`, unless the nesting is too deep. */
function writeNested(encoding: Encoding, value: object, simple: object): void {
  const { parents, depth } = encoding
  if (depth >= depthMax || parents.length >= parentsMax) {
    return replace(encoding, '[too deep]', 'too_deep')
  }
  parents.push(value)
  if (simple === value || Array.isArray(simple) || simple instanceof Map) {
    writeContainer(encoding, simple)
  } else {
    writeObject(encoding, simple)
  }
  parents.pop()
}

function writeContainer(encoding: Encoding, container: object): void {
  if (Array.isArray(container)) return writeArray(encoding, container)
  if (container instanceof Map) return writeMap(encoding, container as Map<string, unknown>)
  const keys = keysOf(container)
  if (isPlaceholder(keys)) replace(encoding, keys.text, keys.kind)
  else writeMembers(encoding, container, keys)
}

function writeArray(encoding: Encoding, array: readonly unknown[]): void {
  const { maxLength } = encoding
  const ownLength = readMember(array, 'length')
  const length = typeof ownLength === 'number' ? ownLength : 0
  if (length > maxLength) throw tooLarge
  const depth = ++encoding.depth
  encoding.text += '['
  for (let index = 0; index < length; index++) {
    if (index > 0) encoding.text += ','
    encoding.keys[depth] = index
    writeValue(encoding, readMember(array, index))
    if (encoding.text.length > maxLength) throw tooLarge
  }
  encoding.text += ']'
  encoding.depth--
}

function writeMembers(encoding: Encoding, object: object, keys: readonly string[]): void {
  const { text, changes, notes } = encoding
  const noted = notes.length
  const depth = ++encoding.depth
  let before = '{'
  for (const key of keys) {
    const value = readMember(object, key)
    if (value === undefined) {
      skip(encoding)
      continue
    }
    const quoted = quote(key)
    if (quoted === undefined) {
      encoding.depth--
      Object.assign(encoding, { text, changes })
      notes.length = noted
      return writeMap(encoding, membersOf(object, keys))
    }
    encoding.keys[depth] = key
    encoding.text += before + quoted + ':'
    before = ','
    writeValue(encoding, value)
    if (encoding.text.length > encoding.maxLength) throw tooLarge
  }
  encoding.text += before === '{' ? '{}' : '}'
  encoding.depth--
}

/** Limits the number of omitted members, which take time but add no text. */
function skip(encoding: Encoding): void {
  if (++encoding.skipped > skipsPerCharacter * encoding.maxLength) throw tooLarge
}

function membersOf(object: object, keys: readonly string[]): Map<string, unknown> {
  return new Map(keys.map((key) => [key, readMember(object, key)]))
}

/** Writes members after repairing their keys. If two keys become equal, the last one wins. */
function writeMap(encoding: Encoding, map: ReadonlyMap<string, unknown>): void {
  const depth = ++encoding.depth
  const repaired = new Map<string, unknown>()
  for (const [key, value] of map) {
    if (value === undefined) continue
    encoding.keys[depth] = key
    const whole = wellFormed(key)
    if (whole !== key) noteChange(encoding, 'surrogate')
    repaired.set(whole, value)
  }
  encoding.text += '{'
  let isFirst = true
  for (const [key, value] of repaired) {
    if (!isFirst) encoding.text += ','
    isFirst = false
    encoding.keys[depth] = key
    writeText(encoding, key)
    encoding.text += ':'
    writeValue(encoding, value)
    if (encoding.text.length > encoding.maxLength) throw tooLarge
  }
  encoding.text += '}'
  encoding.depth--
}
