/** OTLP log records, in protobuf as SDKs of OpenTelemetry send them by default, and in JSON. */

// Field numbers of opentelemetry/proto/logs/v1/logs.proto and its neighbours.
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

/** In JSON. A text is a string there: bytes would be in base64. */
export function exportLogsJson(texts: readonly string[], unixNano: bigint): Buffer {
  const logRecords = texts.map((text) => ({
    timeUnixNano: String(unixNano),
    severityNumber: severityInfo,
    body: { stringValue: text }
  }))
  return Buffer.from(JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] }))
}

/**
 * One ExportLogsServiceRequest with a log record for each text. The texts travel as bytes: the
 * Collector writes those as they are, where it would quote a string once more.
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

/** Seven bits a byte, the lowest first; a set top bit says that more follow. */
function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128)
  return Buffer.from([...bytes, rest])
}
