/** Responses of OTLP, in the encoding of the request.
 *
 * An exporter drops its spans after any status but 429, 502, 503 and 504, and must not send a
 * partial success again. So a temporary failure is 503 or 429 for the whole request, and a
 * partial success reports only spans that would be rejected again.
 */
import protobuf from 'protobufjs'
import type { Problem } from '../../core/problem.ts'
import type { Reply } from '../../http/call.ts'
import { contentTypes } from './decode.ts'
import type { Encoding, OtlpBody } from './decode.ts'
import { recordsOf } from './read-spans.ts'
import type { RejectedSpan } from './read-spans.ts'

const messageBytesMax = 2048
/** Maximum length of a reason, so that several fit in the message. */
const reasonCharactersMax = 300

/** https://github.com/googleapis/googleapis/blob/master/google/rpc/status.proto */
const { root } = protobuf.parse(`syntax = "proto3";
  message Status { int32 code = 1; string message = 2; }
  message Response { Partial partial_success = 1; }
  message Partial { int64 rejected_spans = 1; string error_message = 2; }
`)
const statusMessage = root.lookupType('Status')
const traceResponse = root.lookupType('Response')

/** gRPC codes by HTTP status. */
const grpcCodes: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  413: 3,
  415: 3,
  429: 8,
  503: 14
}
const grpcUnknown = 2

/** The JSON name of the number of rejections. In protobuf, both signals have the same fields. */
export const rejectedNames = { traces: 'rejectedSpans', logs: 'rejectedLogRecords' } as const

/** @param headers headers of the rate limit */
export function success(
  { signal, encoding }: Pick<OtlpBody, 'signal' | 'encoding'>,
  rejected: readonly RejectedSpan[],
  headers: Readonly<Record<string, string>>
): Reply {
  if (rejected.length === 0)
    return replyOf(encoding, { status: 200, headers, json: {}, bytes: none })
  const [rejectedSpans, errorMessage] = [recordsOf(rejected), messageOf(rejected)]
  const partialSuccess = { [rejectedNames[signal]]: String(rejectedSpans), errorMessage }
  return replyOf(encoding, {
    status: 200,
    headers,
    json: { partialSuccess },
    bytes: () => traceResponse.encode({ partialSuccess: { rejectedSpans, errorMessage } }).finish()
  })
}

/** Converts a problem to a google.rpc.Status. */
export function failure(encoding: Encoding, problem: Problem, requestId: string): Reply {
  const { status, code, message: detail, options } = problem
  const text = `${code}: ${detail} request_id=${requestId}`
  const body = { code: grpcCodes[status] ?? grpcUnknown, message: text }
  return replyOf(encoding, {
    status,
    headers: options.headers ?? {},
    json: body,
    bytes: () => statusMessage.encode(body).finish()
  })
}

/** JSON schema of a google.rpc.Status. */
export const statusSchema = {
  type: 'object',
  required: ['code', 'message'],
  properties: { code: { type: 'integer' }, message: { type: 'string' } }
}

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly json: object
  readonly bytes: () => Uint8Array
}

const none = () => new Uint8Array()

function replyOf(encoding: Encoding, { status, headers, json, bytes }: Answer): Reply {
  const body = encoding === 'json' ? JSON.stringify(json) : ''
  const more = encoding === 'json' ? {} : { bytes: bytes() }
  return { status, headers: { 'content-type': contentTypes[encoding], ...headers }, body, ...more }
}

/** Groups the spans by reason, and names the first of each. */
function messageOf(rejected: readonly RejectedSpan[]): string {
  const groups = [...Map.groupBy(rejected, ({ reason }) => reason)]
  const texts = groups
    .toSorted(([, one], [, other]) => other.length - one.length)
    .map(([reason, spans]) => {
      const cut = reason.slice(0, reasonCharactersMax)
      const where = spans[0]?.where ?? ''
      return `${recordsOf(spans)}: ${cut}${where === '' ? '' : ` (first ${where})`}`
    })
  const text = `Rejected: ${recordsOf(rejected)}. ${texts.join('; ')}`
  return Buffer.from(text)
    .subarray(0, messageBytesMax)
    .toString()
    .replace(/\ufffd$/, '')
}
