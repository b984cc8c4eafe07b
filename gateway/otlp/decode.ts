/** Decodes OTLP requests in either encoding. */
import { Problem } from '../../core/problem.ts'
import { spansOfJson } from './json.ts'
import { spansOfProtobuf } from './protobuf.ts'
import { ValueError } from './span.ts'
import type { PlacedSpan, OtlpSpan } from './span.ts'

/** Encoding of a request, and of its response. */
export type Encoding = 'protobuf' | 'json'

const contentTypes: Readonly<Record<string, Encoding>> = {
  'application/x-protobuf': 'protobuf',
  'application/json': 'json'
}
const decoders = { protobuf: spansOfProtobuf, json: spansOfJson } as const

/** Returns the encoding of a Content-Type; null if it is not one of OTLP. */
export function encodingOf(contentType: string | undefined): Encoding | null {
  const [name = ''] = (contentType ?? '').toLowerCase().split(';')
  return contentTypes[name.trim()] ?? null
}

/**
 * Returns the spans of an ExportTraceServiceRequest.
 * @throws {Problem} 400 if it is malformed, also while a span is read
 */
export function* decodeTraces(encoding: Encoding, body: Buffer): Generator<PlacedSpan> {
  try {
    yield* decoders[encoding](body)
  } catch (error) {
    throw malformedBody(encoding, error)
  }
}

/**
 * Reads a span.
 * @throws {ValueError} if only this span is malformed
 * @throws {Problem} 400 if the request is malformed
 */
export function readSpan(encoding: Encoding, { read }: PlacedSpan): OtlpSpan {
  try {
    return read()
  } catch (error) {
    throw error instanceof ValueError ? error : malformedBody(encoding, error)
  }
}

function malformedBody(encoding: Encoding, error: unknown): Problem {
  const { message } = error as Error
  return malformed(`The body is no ExportTraceServiceRequest in ${encoding}: ${message}.`)
}

export function malformed(detail: string): Problem {
  return new Problem('malformed_request', { detail })
}
