/** Converts special objects, such as dates, errors and maps, to values that JSON can represent. */
import { Captured } from './captured.ts'
import { tooLarge } from './encoding.ts'
import type { ChangeKind } from './encoding.ts'

/** Text that replaces a value, with the kind of change. */
export class Placeholder {
  readonly #isPlaceholder = true
  readonly text: string
  readonly kind: ChangeKind

  constructor(text: string, kind: ChangeKind) {
    this.text = text
    this.kind = kind
  }

  static is(value: object): value is Placeholder {
    return #isPlaceholder in value
  }
}

/** Unlike `instanceof`, never runs the traps of a Proxy, which can throw. */
export const isPlaceholder = (value: object): value is Placeholder => Placeholder.is(value)

export const nameMaxLength = 100

/** Returns the placeholder for a value that threw when it was read. */
export function unreadable(error: unknown): Placeholder {
  let name: unknown
  try {
    name = error instanceof Error ? error.name : typeof error
  } catch {
    name = undefined
  }
  const text = typeof name === 'string' ? name.slice(0, nameMaxLength) : 'Error'
  return new Placeholder(`[error: ${text}]`, 'unreadable')
}

/** Reads a member; returns a placeholder if its getter throws. */
export function readMember(value: object, key: string | number): unknown {
  try {
    return (value as Record<string | number, unknown>)[key]
  } catch (error) {
    return unreadable(error)
  }
}

/** Returns a placeholder if the value is a Proxy that throws. */
export function keysOf(value: object): string[] | Placeholder {
  try {
    return Object.keys(value)
  } catch (error) {
    return unreadable(error)
  }
}

/**
 * Returns the value itself if its members are to be written. Otherwise returns an array, a Map with
 * text keys, or another value to write in its place.
 */
export function simplify(value: object, maxLength: number): unknown {
  try {
    if (Array.isArray(value)) return value
    const prototype: unknown = Object.getPrototypeOf(value)
    const isPlain = prototype === Object.prototype || prototype === null
    if (isPlain && (value as Convertible).toJSON === undefined) return value
    return convert(value, maxLength)
  } catch (error) {
    if (error === tooLarge) throw error
    return unreadable(error)
  }
}

interface Convertible {
  readonly toJSON?: unknown
}

type Conversion = (value: never, maxLength: number) => unknown

/**
 * Conversions by `Object.prototype.toString` tag, which also identifies objects of another realm.
 */
const conversions: Readonly<Record<string, Conversion>> = {
  Date: (date: Date) => date.toISOString(),
  Error: describeError,
  DOMException: describeError,
  Map: textKeys,
  Set: (set: Set<unknown>, maxLength) => itemsOf(set, maxLength),
  ArrayBuffer: wholeBuffer,
  SharedArrayBuffer: wholeBuffer,
  Blob: () => new Placeholder('[blob]', 'not_data'),
  File: () => new Placeholder('[blob]', 'not_data'),
  Number: unwrap,
  String: unwrap,
  Boolean: unwrap,
  BigInt: unwrap,
  Symbol: unwrap
}

function convert(value: object, maxLength: number): unknown {
  if (isReady(value)) return value
  if (ArrayBuffer.isView(value)) {
    return base64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength), maxLength)
  }
  if (value instanceof Error) return describeError(value)
  if (value instanceof Map) return textKeys(value, maxLength)
  const tag = tagOf(value)
  const conversion = Object.hasOwn(conversions, tag) ? conversions[tag] : undefined
  if (conversion !== undefined) return conversion(value as never, maxLength)
  const { toJSON } = value as Convertible
  if (typeof toJSON === 'function') return (toJSON as () => unknown).call(value)
  if (tag === 'Object' || Object.keys(value).length > 0) return value
  return new Placeholder(`[${tag.slice(0, nameMaxLength)}]`, 'not_data')
}

/** Checks for values made by the SDK, which are written as they are. */
function isReady(value: object): boolean {
  return Placeholder.is(value) || Captured.is(value)
}

function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1)
}

function describeError({ name, message }: Error): object {
  return { name, message }
}

function unwrap(boxed: object): unknown {
  return boxed.valueOf()
}

/**
 * Copies at most `maxLength` items, because a custom iterator may never end and longer lists cannot
 * fit.
 * @throws `tooLarge` if there are more
 */
function itemsOf<Item>(items: Iterable<Item>, maxLength: number): Item[] {
  const copied: Item[] = []
  for (const item of items) {
    if (copied.length >= maxLength) throw tooLarge
    copied.push(item)
  }
  return copied
}

/** Converts keys to text. If two keys have the same text, the later one wins. */
function textKeys(map: Map<unknown, unknown>, maxLength: number): Map<string, unknown> {
  const members = new Map<string, unknown>()
  for (const [key, value] of itemsOf(map, maxLength)) members.set(textOfKey(key), value)
  return members
}

function textOfKey(key: unknown): string {
  if (key instanceof Date) return key.toISOString()
  if (typeof key === 'function') return '[function]'
  return typeof key === 'object' && key !== null ? `[${tagOf(key)}]` : String(key)
}

/**
 * Rejects objects that only claim to be buffers: DataView throws for them, while Uint8Array accepts
 * them.
 */
function wholeBuffer(bytes: ArrayBufferLike, maxLength: number): string {
  return base64(new Uint8Array(new DataView(bytes).buffer), maxLength)
}

interface BufferLike {
  from(bytes: ArrayBufferLike, offset: number, length: number): { toString(form: string): string }
}

/** Maximum number of arguments passed to String.fromCharCode at once. */
const chunkLength = 8192

function base64(bytes: Uint8Array, maxLength: number): string {
  if (bytes.length > maxLength) throw tooLarge
  const { Buffer } = globalThis as { readonly Buffer?: BufferLike }
  let text = ''
  if (Buffer !== undefined) {
    text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  } else {
    let binary = ''
    for (let at = 0; at < bytes.length; at += chunkLength) {
      binary += String.fromCharCode(...bytes.subarray(at, at + chunkLength))
    }
    text = btoa(binary)
  }
  return `data:application/octet-stream;base64,${text}`
}
