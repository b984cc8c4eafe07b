/** Encodes OTLP log records in protobuf, the default of OpenTelemetry SDKs, and in JSON. */

// Field numbers from opentelemetry/proto/logs/v1/logs.proto and its imports.
const resourceLogsField = 1
const scopeLogsField = 2
const logRecordsField = 2
const timeField = 1
const severityField = 2
const bodyField = 5
const bytesValueField = 7

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
