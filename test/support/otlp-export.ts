/** Builds OTLP requests for tests, in both encodings. */
import { join } from 'node:path'
import protobuf from 'protobufjs'
import type { Encoding } from '../../gateway/otlp/decode.ts'

// The default of 100 is too low for a test of deep values.
protobuf.util.recursionLimit = 1000
const root = new protobuf.Root()
root.resolvePath = (_origin, target) => join(import.meta.dirname, '../../schemas', target)
root.loadSync('opentelemetry/proto/collector/trace/v1/trace_service.proto')
root.loadSync('opentelemetry/proto/collector/logs/v1/logs_service.proto')
const requestType = root.lookupType('ExportTraceServiceRequest')
const responseType = root.lookupType('ExportTraceServiceResponse')
const logsRequestType = root.lookupType('ExportLogsServiceRequest')
const { root: errors } = protobuf.parse(
  'syntax = "proto3"; message Status { int32 code = 1; string message = 2; }'
)

export const contentTypes = { protobuf: 'application/x-protobuf', json: 'application/json' }
export const encodings: readonly Encoding[] = ['protobuf', 'json']

export const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
export const spanId = '00f067aa0ba902b7'

/** Returns the id of the span with this number. */
export function idOf(number: number): string {
  return number.toString(16).padStart(16, '0')
}

export interface TestSpan {
  readonly traceId?: string
  readonly spanId?: string
  readonly parentSpanId?: string
  readonly attributes?: unknown
  readonly events?: readonly object[]
  readonly status?: object
  readonly flags?: number
}

function anyValue(value: unknown): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'bigint') return { intValue: String(value) }
  if (typeof value === 'number') {
    return Number.isInteger(value) ? { intValue: value } : { doubleValue: value }
  }
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } }
  return { kvlistValue: { values: attributesOf(value as object) } }
}

export function attributesOf(members: object): object[] {
  return Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ({ key, value: anyValue(value) }))
}

export interface TestLogRecord {
  readonly traceId?: string
  readonly spanId?: string
  readonly eventName?: string
  readonly attributes?: unknown
  readonly body?: object
  readonly timeUnixNano?: string
  readonly observedTimeUnixNano?: string
}

/** Returns a log record of the test span, with an event. */
export function aLogRecord(
  eventName: string,
  members: object,
  more: TestLogRecord = {}
): TestLogRecord {
  return { traceId, spanId, eventName, attributes: attributesOf(members), ...more }
}

/** Returns the body of a log record with these members. */
export function bodyOf(members: object): TestLogRecord {
  return { body: anyValue(members) }
}

export function aSpan(members: object, more: TestSpan = {}): TestSpan {
  return { traceId, spanId, attributes: attributesOf(members), ...more }
}

/** Returns the bytes of a request with these spans, at fixed times. */
export function exportOf(
  encoding: Encoding,
  spans: readonly TestSpan[],
  resource: object = { 'service.name': 'claims' }
): Buffer {
  const all = spans.map((span) => ({
    name: 'step',
    startTimeUnixNano: '1764000000000000000',
    endTimeUnixNano: '1764000001500000000',
    ...span,
    traceId: idIn(encoding, span.traceId),
    spanId: idIn(encoding, span.spanId),
    parentSpanId: idIn(encoding, span.parentSpanId)
  }))
  const scopeSpans = [{ scope: { name: 'test' }, spans: all }]
  const request = {
    resourceSpans: [{ resource: { attributes: attributesOf(resource) }, scopeSpans }]
  }
  return encoded(encoding, requestType, request)
}

function encoded(encoding: Encoding, type: protobuf.Type, request: object): Buffer {
  if (encoding === 'json') return Buffer.from(JSON.stringify(request))
  return Buffer.from(type.encode(type.fromObject(request)).finish())
}

function idIn(encoding: Encoding, id: string | undefined) {
  return encoding === 'json' || id === undefined ? id : Buffer.from(id, 'hex')
}

/** Returns the bytes of a request with these log records. */
export function logsOf(
  encoding: Encoding,
  records: readonly TestLogRecord[],
  resource: object = { 'service.name': 'claims' }
): Buffer {
  const logRecords = records.map((record) => ({
    timeUnixNano: '1764000001500000000',
    ...record,
    traceId: idIn(encoding, record.traceId),
    spanId: idIn(encoding, record.spanId)
  }))
  const scopeLogs = [{ scope: { name: 'test' }, logRecords }]
  const request = {
    resourceLogs: [{ resource: { attributes: attributesOf(resource) }, scopeLogs }]
  }
  return encoded(encoding, logsRequestType, request)
}

interface Answer {
  readonly partialSuccess?: {
    readonly rejectedSpans?: string
    readonly rejectedLogRecords?: string
    readonly errorMessage: string
  }
}

export function answerIn(encoding: Encoding, bytes: Buffer): Answer {
  if (encoding === 'json') return JSON.parse(bytes.toString()) as Answer
  return responseType.toObject(responseType.decode(bytes), { longs: String })
}

export function statusIn(encoding: Encoding, bytes: Buffer) {
  const type = errors.lookupType('Status')
  const value: unknown = encoding === 'json' ? JSON.parse(bytes.toString()) : type.decode(bytes)
  return value as { readonly code: number; readonly message: string }
}
