/** Decodes OTLP requests in either encoding. */
import { Problem } from '../../core/problem.ts'
import { parseJson, spansOfJson } from './json.ts'
import { spansOfProtobuf } from './protobuf.ts'
import { FormatError, TooManyError } from './span.ts'
import type { PlacedSpan, Signal } from './span.ts'

/** Encoding of a request, and of its response. */
export type Encoding = 'protobuf' | 'json'

export const contentTypes = {
  protobuf: 'application/x-protobuf',
  json: 'application/json'
} as const
const encodings = Object.keys(contentTypes) as readonly Encoding[]

/** Returns the encoding of a Content-Type; null if it is not one of OTLP. */
export function encodingOf(contentType: string | undefined): Encoding | null {
  const [name = ''] = (contentType ?? '').toLowerCase().split(';')
  return encodings.find((encoding) => contentTypes[encoding] === name.trim()) ?? null
}

/** The message of each request in the definitions of OTLP. */
const requestNames = {
  traces: 'ExportTraceServiceRequest',
  logs: 'ExportLogsServiceRequest'
} as const

export interface OtlpBody {
  readonly signal: Signal
  readonly encoding: Encoding
  readonly bytes: Buffer
}

/**
 * Returns the spans or log records of a request. Reading one can throw a `SpanError`. For any other
 * error, also while the next one is found, see `problemOf`.
 */
export async function decode(body: OtlpBody): Promise<Iterable<PlacedSpan>> {
  const { signal, encoding, bytes } = body
  return encoding === 'json'
    ? spansOfJson(signal, await parseJson(bytes))
    : spansOfProtobuf(signal, bytes)
}

/**
 * Returns a 400 if the request is malformed, or a 413 if it has too many messages. Returns any
 * other error unchanged, because it is a bug.
 */
export function problemOf({ signal, encoding }: OtlpBody, error: unknown): unknown {
  if (error instanceof TooManyError) {
    return new Problem('payload_too_large', {
      detail: `${error.message}. Set a smaller batch size.`
    })
  }
  const isOfReader = error instanceof RangeError || (error as Error).constructor === Error
  if (!(error instanceof FormatError) && !isOfReader) return error
  const { message } = error as Error
  return malformed(`The body is not an ${requestNames[signal]} in ${encoding}: ${message}.`)
}

export function malformed(detail: string): Problem {
  return new Problem('malformed_request', { detail })
}
