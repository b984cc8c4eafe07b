/** Decodes spans from OTLP/JSON, which is not the JSON form of protobuf: ids are hex digits, and
 * enums are numbers. 64-bit integers are strings or numbers.
 */
import { isUtf8 } from 'node:buffer'
import { syntaxErrorSteps } from '../../core/json/json-syntax.ts'
import { isLong, runSteps } from '../../core/json/steps.ts'
import { runStepsYielding } from '../../platform/process/yield-to-event-loop.ts'
import { FormatError, SpanError, placeFor, spanValuesMax } from './span.ts'
import { tooDeep, tooManyValues, valueDepthMax } from './span.ts'
import type { OtlpSpan, PlacedSpan, Signal, SpanEvent, Value } from './span.ts'

type Json = Readonly<Record<string, unknown>>

const statusErrors = new Set<unknown>([2, 'STATUS_CODE_ERROR'])

/** The names of the lists in a request, and how to read the innermost objects. */
const shapes = {
  traces: { lists: ['resourceSpans', 'scopeSpans', 'spans'], read: spanOf },
  logs: { lists: ['resourceLogs', 'scopeLogs', 'logRecords'], read: logRecordOf }
} as const

/** Returns the spans or log records of a request. Throws if it is malformed. */
export function* spansOfJson(signal: Signal, request: Json): Generator<PlacedSpan> {
  const { lists, read } = shapes[signal]
  for (const ofResource of objectsIn(request, lists[0])) {
    const resource = placeFor(() => valuesIn(objectIn(ofResource, 'resource')))
    for (const ofScope of objectsIn(ofResource, lists[1])) {
      const scope = textIn(objectIn(ofScope, 'scope'), 'name')
      for (const item of objectsIn(ofScope, lists[2])) yield resource(scope, () => read(item))
    }
  }
}

/** Maximum number of values of a request. More would block the process while they are parsed. */
const valuesMax = 500_000
/** Integers that a double cannot hold, which should be strings. */
const longInteger = /("intValue"\s{0,20}:\s{0,20})(-?\d{16,19})(?![\d.eE])/g

/**
 * Parses a body. Yields to the event loop while it checks a long one.
 * @throws {FormatError} if it is not a JSON object in UTF-8
 */
export async function parseJson(body: Buffer): Promise<Json> {
  if (!isUtf8(body)) throw new FormatError('it is not UTF-8')
  const text = body.toString('utf8').replace(/^\ufeff/, '')
  const steps = syntaxErrorSteps(text, Number.POSITIVE_INFINITY, valuesMax)
  const position = isLong(text) ? await runStepsYielding(steps) : runSteps(steps)
  if (position !== null) {
    throw new FormatError(`it is not JSON, or has more than ${valuesMax} values, at ${position}`)
  }
  const value: unknown = JSON.parse(text.replace(longInteger, '$1"$2"'))
  if (!isObject(value)) throw new FormatError('it is not an object')
  return value
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
  const number = numberOf(parent[name] ?? 0)
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

/** Reads the members of the body, because older events have their content there. */
function logRecordOf(record: Json): OtlpSpan {
  const body = valuesIn(objectIn(objectIn(record, 'body'), 'kvlistValue'), 0, 'values')
  return {
    ...spanOf(record),
    name: textIn(record, 'eventName'),
    startNanos: numberIn(record, 'timeUnixNano'),
    endNanos: numberIn(record, 'observedTimeUnixNano'),
    events: [{ name: '', attributes: body }]
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
    throw error instanceof FormatError ? new SpanError(error.message) : error
  }
}

function valuesIn(parent: Json, depth = 0, name = 'attributes'): Map<string, Value> {
  const values = new Map<string, Value>()
  const pairs = rejecting(() => objectsIn(parent, name))
  if (pairs.length > spanValuesMax) throw tooManyValues()
  for (const pair of pairs) {
    if (isObject(pair['value'])) values.set(textIn(pair, 'key'), valueOf(pair['value'], depth))
  }
  return values
}

function valueOf(value: Json, depth: number): Value {
  if (depth > valueDepthMax) throw tooDeep()
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue } = value
  if (typeof stringValue === 'string') return stringValue
  if (typeof boolValue === 'boolean') return boolValue
  if (isSet(intValue)) return integerOf(intValue)
  if (isSet(doubleValue)) return numberOf(doubleValue)
  if (isObject(arrayValue)) {
    const list = rejecting(() => objectsIn(arrayValue, 'values'))
    return list.map((each) => valueOf(each, depth + 1))
  }
  if (isObject(kvlistValue)) return valuesIn(kvlistValue, depth + 1, 'values')
  return typeof value['bytesValue'] === 'string' ? value['bytesValue'] : null
}

/** Maximum length of a number in a string. */
const numberMax = 40

function numberOf(value: unknown): number {
  if (typeof value === 'number') return value
  if (typeof value === 'string' && value.length <= numberMax) return Number(value)
  throw new SpanError('a number is malformed')
}

/** In OTLP/JSON, null is the default, as if the member were absent. */
function isSet(value: unknown): boolean {
  return value !== undefined && value !== null
}

function integerOf(value: unknown): number | bigint {
  const digits = typeof value === 'number' ? String(value) : value
  if (typeof digits !== 'string' || !/^-?\d{1,19}$/.test(digits)) {
    throw new SpanError('an integer is malformed')
  }
  const number = Number(digits)
  return Number.isSafeInteger(number) ? number : BigInt(digits)
}

/** Returns the hex digits of an id, or null if they are too few, too many or all zeros. */
function idOfHex(hex: string, bytes: number): string | null {
  return hex.length === 2 * bytes && /^[0-9a-f]*[1-9a-f][0-9a-f]*$/.test(hex) ? hex : null
}
