/** Encodes OTLP log records in protobuf, the default of OpenTelemetry SDKs, and in JSON; and spans
 * in protobuf.
 */

// Field numbers from opentelemetry/proto/logs/v1/logs.proto and its imports.
const resourceLogsField = 1
const scopeLogsField = 2
const logRecordsField = 2
const timeField = 1
const severityField = 2
const bodyField = 5
const bytesValueField = 7

// Field numbers from opentelemetry/proto/trace/v1/trace.proto and its imports. The lists of scopes
// and spans have those of the lists of logs.
const resourceField = 1
const traceIdField = 1
const spanIdField = 2
const nameField = 5
const kindField = 6
const startField = 7
const endField = 8
const attributesField = 9
const keyField = 1
const valueField = 2
const stringValueField = 1
const intValueField = 3
const clientKind = 3

const varintType = 0
const fixed64Type = 1
const lengthType = 2
const severityInfo = 9

/**
 * Returns an ExportLogsServiceRequest in JSON. The texts are strings, because OTLP/JSON encodes
 * bytes in base64.
 */
export function exportLogsJson(texts: readonly string[], unixNano: bigint): Buffer {
  const logRecords = texts.map((text) => ({
    timeUnixNano: String(unixNano),
    severityNumber: severityInfo,
    body: { stringValue: text }
  }))
  return Buffer.from(JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] }))
}

/**
 * Returns an ExportLogsServiceRequest in protobuf with one log record per text. The texts are
 * bytes, because the Collector writes bytes unchanged but adds quotes to strings.
 */
export function exportLogsProtobuf(texts: readonly string[], unixNano: bigint): Buffer {
  const records = texts.map((text) => nested(logRecordsField, logRecord(text, unixNano)))
  const scopeLogs = nested(scopeLogsField, Buffer.concat(records))
  return nested(resourceLogsField, scopeLogs)
}

/** The attributes of a span. */
export type SpanAttributes = Readonly<Record<string, string | number>>

/**
 * Returns an ExportTraceServiceRequest in protobuf with one span per list of attributes. The ids of
 * the spans are consecutive numbers.
 */
export function exportSpansProtobuf(spans: readonly SpanAttributes[], unixNano: bigint): Buffer {
  const records = spans.map((attributes, index) =>
    nested(logRecordsField, span(attributes, unixNano, index + 1))
  )
  const resource = nested(resourceField, attribute(1, 'service.name', 'refunds'))
  const scopeSpans = nested(scopeLogsField, Buffer.concat(records))
  return nested(resourceLogsField, Buffer.concat([resource, scopeSpans]))
}

function span(attributes: SpanAttributes, unixNano: bigint, id: number): Buffer {
  const [traceId, spanId] = [Buffer.alloc(16, 1), Buffer.alloc(8)]
  spanId.writeBigUInt64BE(BigInt(id))
  const time = Buffer.alloc(8)
  time.writeBigUInt64LE(unixNano)
  return Buffer.concat([
    nested(traceIdField, traceId),
    nested(spanIdField, spanId),
    nested(nameField, Buffer.from('chat small-1')),
    tag(kindField, varintType),
    varint(clientKind),
    tag(startField, fixed64Type),
    time,
    tag(endField, fixed64Type),
    time,
    ...Object.entries(attributes).map(([key, value]) => attribute(attributesField, key, value))
  ])
}

function attribute(field: number, key: string, value: string | number): Buffer {
  const content =
    typeof value === 'string'
      ? nested(stringValueField, Buffer.from(value))
      : Buffer.concat([tag(intValueField, varintType), varint(value)])
  return nested(
    field,
    Buffer.concat([nested(keyField, Buffer.from(key)), nested(valueField, content)])
  )
}

function logRecord(text: string, unixNano: bigint): Buffer {
  const time = Buffer.alloc(8)
  time.writeBigUInt64LE(unixNano)
  return Buffer.concat([
    tag(timeField, fixed64Type),
    time,
    tag(severityField, varintType),
    varint(severityInfo),
    nested(bodyField, nested(bytesValueField, Buffer.from(text)))
  ])
}

function nested(field: number, content: Buffer): Buffer {
  return Buffer.concat([tag(field, lengthType), varint(content.length), content])
}

function tag(field: number, type: number): Buffer {
  return varint((field << 3) | type)
}

/**
 * Encodes a protobuf varint: seven bits per byte, lowest first, with the top bit set if more bytes
 * follow.
 */
function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128)
  return Buffer.from([...bytes, rest])
}
