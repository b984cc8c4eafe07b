/** What an object that is neither an array nor a plain one is sent as. */
import { Captured } from './captured.ts'
import { tooLarge } from './encoding.ts'
import type { ChangeKind } from './encoding.ts'

/** A short text instead of a value, with the reason. */
export class StandIn {
  readonly #isStandIn = true
  readonly text: string
  readonly kind: ChangeKind

  constructor(text: string, kind: ChangeKind) {
    this.text = text
    this.kind = kind
  }

  static is(value: object): value is StandIn {
    return #isStandIn in value
  }
}

/** Asks no Proxy, which might throw. */
export const isStandIn = (value: object): value is StandIn => StandIn.is(value)

export const nameMaxLength = 100

/** What stands for a value whose own code threw while it was read. */
export function unreadable(error: unknown): StandIn {
  let name: unknown
  try {
    name = error instanceof Error ? error.name : typeof error
  } catch {
    name = undefined
  }
  const text = typeof name === 'string' ? name.slice(0, nameMaxLength) : 'Error'
  return new StandIn(`[error: ${text}]`, 'unreadable')
}

/** Never throws, whatever the member is made of. */
export function readMember(value: object, key: string | number): unknown {
  try {
    return (value as Record<string | number, unknown>)[key]
  } catch (error) {
    return unreadable(error)
  }
}

/** A Proxy may refuse to tell. */
export function keysOf(value: object): string[] | StandIn {
  try {
    return Object.keys(value)
  } catch (error) {
    return unreadable(error)
  }
}

/**
 * The value itself when its members are what is to be written; else a new array, a Map from texts,
 * or something that is to be written in its place.
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

/** By what a value calls itself, which holds for values of another realm too. */
const conversions: Readonly<Record<string, Conversion>> = {
  Date: (date: Date) => date.toISOString(),
  Error: describeError,
  DOMException: describeError,
  Map: textKeys,
  Set: (set: Set<unknown>, maxLength) => itemsOf(set, maxLength),
  ArrayBuffer: wholeBuffer,
  SharedArrayBuffer: wholeBuffer,
  Blob: () => new StandIn('[blob]', 'not_data'),
  File: () => new StandIn('[blob]', 'not_data'),
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
  return new StandIn(`[${tag.slice(0, nameMaxLength)}]`, 'not_data')
}

/** Made by the SDK, and written as it is. */
function isReady(value: object): boolean {
  return StandIn.is(value) || Captured.is(value)
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

/** Each takes two characters at least; what iterates in its own way may never end. */
function itemsOf<Item>(items: Iterable<Item>, maxLength: number): Item[] {
  const copied: Item[] = []
  for (const item of items) {
    if (copied.length >= maxLength) throw tooLarge
    copied.push(item)
  }
  return copied
}

/** Of two keys with one text, the later one counts. */
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

/** A DataView takes nothing but a buffer, where a Uint8Array would be filled from anything. */
function wholeBuffer(bytes: ArrayBufferLike, maxLength: number): string {
  return base64(new Uint8Array(new DataView(bytes).buffer), maxLength)
}

interface BufferLike {
  from(bytes: ArrayBufferLike, offset: number, length: number): { toString(form: string): string }
}

/** Characters that String.fromCharCode takes at once. */
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
