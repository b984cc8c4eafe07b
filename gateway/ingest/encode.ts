/** encode: a decision to the record that goes onto the log. */
import { createEncode as createAvroEncode } from '../../platform/avro/avro-codec.ts'
import type { Decision } from '../../core/decision/decision.ts'
import { keyOf } from '../../core/decision/decision.ts'
import { pointerTo } from '../../core/json/json-pointer.ts'
import { Problem } from '../../core/problem.ts'
import { traceparentOf } from '../../core/decision/trace-context.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import type { OutgoingRecord } from '../../platform/kafka/record-producer.ts'
import { decisionContract } from '../../schemas/index.ts'

/** @throws {Problem} 413 when the encoded decision is too large, 503 while its schema has no id. */
export type Encode = (decision: Decision, traceparent?: string | string[]) => OutgoingRecord

export interface EncodeDependencies {
  readonly topic: string
  /** The id the registry gave the decision schema, or null until it is known. */
  readonly schemaId: () => number | null
  readonly metrics: Metrics
}

export const decisionBytesMax = 4 * 1024 * 1024

export function createEncode({ topic, schemaId, metrics }: EncodeDependencies): Encode {
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
    detail: 'This instance has not yet learnt the id of the decision schema from the registry.',
    headers: { 'retry-after': '5' }
  })
}

/** A character has one byte at least. */
function leastSizeOf({ input, output, metadata }: Decision): number {
  return input.length + output.length + (metadata?.length ?? 0)
}

/** In bytes of UTF-8, before they are encoded. */
type Sizes = Readonly<Partial<Record<'input' | 'output' | 'metadata', number>>>

function sizesOf({ input, output, metadata }: Decision): Sizes {
  const bytesOf = (text: string | null): number => Buffer.byteLength(text ?? '')
  return { input: bytesOf(input), output: bytesOf(output), metadata: bytesOf(metadata) }
}

/**
 * 413 that names the member that takes the most room, since that is the one to shorten.
 * @param size of the encoded decision; at least what is told of its members
 */
export function tooLarge(sizes: Sizes, size?: number): Problem {
  const members = Object.entries(sizes)
  const least = members.reduce((sum, [, bytes]) => sum + bytes, 0)
  const told = size === undefined ? `at least ${least}` : String(size)
  const [largest, size_bytes] = members.reduce((one, other) => (other[1] > one[1] ? other : one))
  return new Problem('payload_too_large', {
    detail: `The decision has ${told} bytes encoded, at most ${decisionBytesMax} are taken.`,
    members: { pointer: pointerTo(largest), size_bytes, limit_bytes: decisionBytesMax }
  })
}
