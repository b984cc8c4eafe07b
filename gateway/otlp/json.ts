/** Decodes spans from OTLP/JSON, which is not the JSON form of protobuf: ids are hex digits, and
 * enums are numbers. 64-bit integers are strings or numbers.
 */
import { isUtf8 } from 'node:buffer'
import { FormatError, ValueError, idOfHex, tooDeep, valueDepthMax } from './span.ts'
import type { PlacedSpan, OtlpSpan, SpanEvent, Value } from './span.ts'

type Json = Readonly<Record<string, unknown>>

const statusErrors = new Set<unknown>([2, 'STATUS_CODE_ERROR'])

/** Returns the spans of an ExportTraceServiceRequest. Throws if it is malformed. */
export function* spansOfJson(body: Buffer): Generator<PlacedSpan> {
  for (const resourceSpans of objectsIn(parse(body), 'resourceSpans')) {
    const resource = valuesIn(objectIn(resourceSpans, 'resource'))
    for (const scopeSpans of objectsIn(resourceSpans, 'scopeSpans')) {
      const scope = textIn(objectIn(scopeSpans, 'scope'), 'name')
      for (const span of objectsIn(scopeSpans, 'spans')) {
        yield { resource, scope, read: () => spanOf(span) }
      }
    }
  }
}

/** Integers that a double cannot hold, which should be strings. */
const longInteger = /"intValue"\s*:\s*-?\d{16}/

function parse(body: Buffer): Json {
  const text = body.toString('utf8')
  try {
    const value: unknown = longInteger.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text)
    if (isObject(value) && isUtf8(body)) return value
  } catch {
    // The message of V8 quotes the body.
  }
  throw new FormatError('it is no JSON object in UTF-8')
}

function keepDigits(key: string, value: unknown, { source }: { source?: string } = {}): unknown {
  const isLong = key === 'intValue' && typeof value === 'number' && !Number.isSafeInteger(value)
  return isLong ? (source ?? value) : value
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function objectIn(parent: Json, name: string): Json {
  const value = parent[name]
  return isObject(value) ? value : {}
}

/** @throws {FormatError} if the member is present and no list of objects */
function objectsIn(parent: Json, name: string): readonly Json[] {
  const list = parent[name] ?? []
  if (!Array.isArray(list) || !list.every(isObject)) {
    throw new FormatError(`${name} must be a list of objects`)
  }
  return list
}

function textIn(parent: Json, name: string): string {
  const text = parent[name]
  return typeof text === 'string' ? text : ''
}

function numberIn(parent: Json, name: string): number {
  const number = Number(parent[name] ?? 0)
  return Number.isFinite(number) ? number : 0
}

function spanOf(span: Json): OtlpSpan {
  const status = objectIn(span, 'status')
  const idIn = (name: string, bytes: number) => idOfHex(textIn(span, name).toLowerCase(), bytes)
  return {
    traceId: idIn('traceId', 16),
    spanId: idIn('spanId', 8),
    parentSpanId: idIn('parentSpanId', 8),
    name: textIn(span, 'name'),
    flags: numberIn(span, 'flags'),
    startNanos: numberIn(span, 'startTimeUnixNano'),
    endNanos: numberIn(span, 'endTimeUnixNano'),
    attributes: valuesIn(span),
    droppedAttributes: numberIn(span, 'droppedAttributesCount'),
    events: rejecting(() => objectsIn(span, 'events')).map(eventOf),
    isError: statusErrors.has(status['code']),
    statusMessage: textIn(status, 'message')
  }
}

function eventOf(event: Json): SpanEvent {
  return { name: textIn(event, 'name'), attributes: valuesIn(event) }
}

/** Rejects only the span, because its neighbours can be read. */
function rejecting<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof FormatError ? new ValueError(error.message) : error
  }
}

function valuesIn(parent: Json, depth = 0, name = 'attributes'): Map<string, Value> {
  const values = new Map<string, Value>()
  for (const pair of rejecting(() => objectsIn(parent, name))) {
    if (isObject(pair['value'])) values.set(textIn(pair, 'key'), valueOf(pair['value'], depth))
  }
  return values
}

function valueOf(value: Json, depth: number): Value {
  if (depth > valueDepthMax) throw tooDeep()
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue } = value
  if (typeof stringValue === 'string') return stringValue
  if (typeof boolValue === 'boolean') return boolValue
  if (intValue !== undefined) return integerOf(intValue)
  if (doubleValue !== undefined) return Number(doubleValue)
  if (isObject(arrayValue)) {
    const list = rejecting(() => objectsIn(arrayValue, 'values'))
    return list.map((each) => valueOf(each, depth + 1))
  }
  if (isObject(kvlistValue)) return valuesIn(kvlistValue, depth + 1, 'values')
  return typeof value['bytesValue'] === 'string' ? value['bytesValue'] : null
}

function integerOf(value: unknown): number | bigint {
  const digits = String(value)
  if (!/^-?\d{1,19}$/.test(digits)) throw new ValueError('an integer is malformed')
  const number = Number(digits)
  return Number.isSafeInteger(number) ? number : BigInt(digits)
}
