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
    const value = encodeAvro(decision, id)
    if (value.length > decisionBytesMax) throw tooLarge(decision, value.length)
    countBytes(value.length)
    const key = keyOf(decision)
    return {
      topic,
      key: key === null ? null : Buffer.from(key, 'utf8'),
      value,
      headers: headersOf(decision, traceparent)
    }
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

/** Names the member that takes the most room, since that is the one to shorten. */
function tooLarge(decision: Decision, size: number): Problem {
  const sizes = (['input', 'output', 'metadata'] as const).map((name) => ({
    name,
    bytes: Buffer.byteLength(decision[name] ?? '', 'utf8')
  }))
  const largest = sizes.reduce((left, right) => (right.bytes > left.bytes ? right : left))
  return new Problem('payload_too_large', {
    detail: `The decision has ${size} bytes encoded, at most ${decisionBytesMax} are taken.`,
    members: {
      pointer: pointerTo(largest.name),
      size_bytes: largest.bytes,
      limit_bytes: decisionBytesMax
    }
  })
}
