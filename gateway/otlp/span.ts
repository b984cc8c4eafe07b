/** Spans and their values, as both encodings of OTLP are decoded. */
import { quoted } from '../../core/json/quoted.ts'

/** What a request contains: spans, or log records. */
export type Signal = 'traces' | 'logs'

/** An AnyValue. Integers that a double cannot hold are bigints. */
export type Value =
  | string
  | LongText
  | number
  | bigint
  | boolean
  | null
  | Uint8Array
  | readonly Value[]
  | ReadonlyMap<string, Value>

/** A long text in a body, in UTF-8. It is decoded only if a decision needs more than a copy. */
export class LongText {
  readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  toString(): string {
    return this.bytes.toString()
  }
}

/** Attributes by their keys. Of several with the same key, the last one counts. */
export type Values = ReadonlyMap<string, Value>

export interface OtlpSpan {
  /** Ids in hex digits; null if absent, all zeros or of the wrong length. */
  readonly traceId: string | null
  readonly spanId: string | null
  readonly parentSpanId: string | null
  readonly name: string
  /** Flags of the W3C trace context. */
  readonly flags: number
  /** Nanoseconds since 1970, with the precision of a double; 0 if absent. */
  readonly startNanos: number
  readonly endNanos: number
  readonly attributes: Map<string, Value>
  readonly droppedAttributes: number
  readonly events: readonly SpanEvent[]
  readonly isError: boolean
  readonly statusMessage: string
}

/** A span that is being read. */
export type SpanDraft = { -readonly [Name in keyof OtlpSpan]: OtlpSpan[Name] } & {
  readonly events: SpanEvent[]
}

export interface SpanEvent {
  readonly name: string
  readonly attributes: Values
}

/**
 * A span with the attributes of its resource and the name of its scope. A log record is read as a
 * span: its name is that of the event, an event without a name has the members of its body, and it
 * lasts from its time until it was observed.
 */
export interface PlacedSpan {
  /** The same object for all spans of a resource. */
  readonly resource: Values
  readonly scope: string
  /** Decodes the span, which can fail alone. */
  readonly read: () => OtlpSpan
}

/** A span that was read, or the log records of one call. */
export interface SpanInPlace extends Omit<PlacedSpan, 'read'> {
  readonly span: OtlpSpan
  /** Number of log records, or 1 for a span. */
  readonly records: number
  /** Whether log records have the content, so that they are rejected without a reply. */
  readonly isLogged?: boolean
}

/** Why a span is rejected, as a metric counts it. */
export type SpanFault = 'content_not_captured' | 'ids_missing' | 'reply_missing' | 'value_invalid'

/**
 * Creates a function that places the spans of a resource. If its attributes cannot be read, none of
 * its spans can.
 */
export function placeFor(readResource: () => Values) {
  let resource: Values = new Map()
  let failure: unknown = null
  try {
    resource = readResource()
  } catch (error) {
    if (!(error instanceof SpanError)) throw error
    failure = error
  }
  return function placed(scope: string, read: () => OtlpSpan): PlacedSpan {
    return failure === null
      ? { resource, scope, read }
      : { resource, scope, read: () => rethrow(failure) }
  }
}

function rethrow(error: unknown): never {
  throw error
}

/** A span that no decision can contain. Only this span is rejected. */
export class SpanError extends Error {
  override readonly name = 'SpanError'
  readonly fault: SpanFault

  constructor(message: string, fault: SpanFault = 'value_invalid') {
    super(message)
    this.fault = fault
  }
}

export function idsMissing(): SpanError {
  const message =
    'trace_id must have 16 bytes and span_id 8, not all zeros. Send spans to /v1/traces, and ' +
    'write log records while the span of their call is active'
  return new SpanError(message, 'ids_missing')
}

/** A request with too many messages, which would block the process while it reads them. */
export class TooManyError extends Error {
  override readonly name = 'TooManyError'
}

/** A request that is not OTLP. */
export class FormatError extends Error {
  override readonly name = 'FormatError'
}

/** Maximum depth of a value, like that of a decision. */
export const valueDepthMax = 64

/** Maximum number of values in a span, with those in lists, maps and events. */
export const spanValuesMax = 10_000

export function tooDeep(): SpanError {
  return new SpanError(`a value nests deeper than ${valueDepthMax} levels`)
}

export function tooManyValues(): SpanError {
  return new SpanError(`a span has more than ${spanValuesMax} values`)
}

/** Returns a text unchanged, and any other value as JSON. */
export function textOf(value: Value): string {
  return isText(value) ? String(value) : jsonOf(value)
}

export function isText(value: Value): value is string | LongText {
  return typeof value === 'string' || value instanceof LongText
}

/** Returns JSON with all digits of integers, NaN and infinities as strings, and bytes in base64. */
export function jsonOf(value: Value): string {
  switch (typeof value) {
    case 'string':
      return quoted(value)
    case 'boolean':
    case 'bigint':
      return String(value)
    case 'number':
      if (Object.is(value, -0)) return '-0'
      return Number.isFinite(value) ? String(value) : `"${value}"`
    default:
      return jsonOfObject(value)
  }
}

function jsonOfObject(value: Exclude<Value, string | number | bigint | boolean>): string {
  if (value === null) return 'null'
  if (value instanceof LongText) return JSON.stringify(String(value))
  if (value instanceof Uint8Array) return `"${Buffer.from(value).toString('base64')}"`
  if (isList(value)) return `[${value.map(jsonOf).join(',')}]`
  return `{${[...value].map(([key, each]) => `${quoted(key)}:${jsonOf(each)}`).join(',')}}`
}

function isList(value: readonly Value[] | ReadonlyMap<string, Value>): value is readonly Value[] {
  return Array.isArray(value)
}
