/** Encodes a decision as a Kafka record. */
import { createEncode as createAvroEncode } from '../../platform/avro/avro-codec.ts'
import type { Decision } from '../../core/decision/decision.ts'
import { keyOf } from '../../core/decision/decision.ts'
import { pointerTo } from '../../core/json/json-pointer.ts'
import { Problem } from '../../core/problem.ts'
import { traceparentOf } from '../../core/decision/trace-context.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import type { OutgoingRecord } from '../../platform/kafka/record-producer.ts'
import { decisionContract } from '../../schemas/index.ts'

/**
 * Encodes a decision.
 * @throws {Problem} 413 if the encoded decision is too large, 503 until its schema is loaded
 */
export type EncodeDecision = (decision: Decision, traceparent?: string | string[]) => OutgoingRecord

interface EncodeDependencies {
  readonly topic: string
  /** Returns the registry's ID of the decision schema, or null until it is loaded. */
  readonly schemaId: () => number | null
  readonly metrics: Metrics
}

export const decisionBytesMax = 4 * 1024 * 1024

export function createEncode({ topic, schemaId, metrics }: EncodeDependencies): EncodeDecision {
  const countBytes = metrics.counter('sluice_ingest_body_bytes_total', { stage: 'encoded' })
  const encodeAvro = createAvroEncode<Decision>(decisionContract.schema)

  return function encode(decision, traceparent) {
    const id = schemaId()
    if (id === null) throw schemaUnavailable()
    if (leastSizeOf(decision) > decisionBytesMax) throw tooLarge(sizesOf(decision))
    const value = encodeAvro(decision, id)
    if (value.length > decisionBytesMax) throw tooLarge(sizesOf(decision), value.length)
    countBytes(value.length)
    const key = Buffer.from(keyOf(decision), 'utf8')
    return { topic, key, value, headers: headersOf(decision, traceparent) }
  }
}

function headersOf(decision: Decision, header: string | string[] | undefined) {
  const { decision_id, organization_id } = decision
  const traceparent = traceparentOf(header)
  if (traceparent === null) return { decision_id, organization_id }
  return { decision_id, organization_id, traceparent }
}

function schemaUnavailable(): Problem {
  return new Problem('schema_unavailable', {
    detail: 'The decision schema has not been loaded from the schema registry yet.',
    headers: { 'retry-after': '5' }
  })
}

/** Returns a lower bound of the size in bytes, because each character takes at least one byte. */
function leastSizeOf({ input, output, metadata }: Decision): number {
  return input.length + output.length + (metadata?.length ?? 0)
}

/** Size of each member in UTF-8 bytes, before the decision is encoded. */
type Sizes = Readonly<Partial<Record<'input' | 'output' | 'metadata', number>>>

function sizesOf({ input, output, metadata }: Decision): Sizes {
  const bytesOf = (text: string | null): number => Buffer.byteLength(text ?? '')
  return { input: bytesOf(input), output: bytesOf(output), metadata: bytesOf(metadata) }
}

/**
 * Returns a 413 with a pointer to the largest member, which the caller should shorten.
 * @param size the size of the encoded decision in bytes; defaults to the sum of `sizes`, a lower
 * bound
 */
export function tooLarge(sizes: Sizes, size?: number): Problem {
  const members = Object.entries(sizes)
  const least = members.reduce((sum, [, bytes]) => sum + bytes, 0)
  const measured = size === undefined ? `at least ${least}` : String(size)
  const [largest, size_bytes] = members.reduce((one, other) => (other[1] > one[1] ? other : one))
  return new Problem('payload_too_large', {
    detail: `The encoded decision is ${measured} bytes; the maximum is ${decisionBytesMax}.`,
    members: { pointer: pointerTo(largest), size_bytes, limit_bytes: decisionBytesMax }
  })
}
