/** Encodes a decision as a Kafka record. */
import { createEncode as createAvroEncode } from '../../platform/avro/avro-codec.ts'
import type { Decision, DecisionIdentity } from '../../core/decision/decision.ts'
import { keyOf } from '../../core/decision/decision.ts'
import { pointerTo } from '../../core/json/json-pointer.ts'
import { Problem } from '../../core/problem.ts'
import { traceparentOf } from '../../core/decision/trace-context.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import { encodeRecord } from '../../platform/kafka/producer/encoded-records.ts'
import { decisionContract } from '../../schemas/index.ts'
import type { RecordFrame } from './kernel/kernel.ts'

export interface Encoder {
  /**
   * Encodes a decision as a record for `EncodedRecords`.
   * @throws {Problem} 413 if the encoded decision is too large, 503 until its schema is loaded
   */
  encode(decision: Decision, traceparent?: string | string[]): Buffer
  /**
   * Returns the bytes that the records of one request have in common, with a decision_id of zeros;
   * null until the schema is loaded. Consecutive requests of an organization in the same
   * millisecond share them if they have no traceparent, because creating them takes as long as
   * reading a decision.
   */
  frameOf(receipt: Receipt, traceparent?: string | string[]): Frame | null
}

type Frame = Omit<RecordFrame, 'writeId'>
type Receipt = Pick<Decision, 'organization_id' | 'received_at'>

interface EncoderDependencies {
  /** Returns the registry's ID of the decision schema, or null until it is loaded. */
  readonly schemaId: () => number | null
  readonly metrics: Metrics
}

export const decisionBytesMax = 4 * 1024 * 1024

/** A decision whose members take one byte each: an empty text, or null. */
const emptyDecision = {
  decision_id: '0'.repeat(36),
  input: '',
  output: '',
  agent_id: null,
  session_id: null,
  domain: null,
  metadata: null,
  input_tokens: null,
  output_tokens: null,
  sdk_version: null
}
const emptyBytes = Object.keys(emptyDecision).length - 1
/** Number of bytes before the headers of a record with neither key nor value. */
const beforeHeaders = 2

export function createEncoder({ schemaId, metrics }: EncoderDependencies): Encoder {
  const countBytes = metrics.counter('sluice_ingest_body_bytes_total', { stage: 'encoded' })
  const encodeAvro = createAvroEncode<Decision>(decisionContract.schema)
  /** The frame of the latest request without a traceparent. */
  let latest: { receipt: Receipt; id: number; frame: Frame } | null = null

  function makeFrame(receipt: Receipt, id: number, traceparent?: string | string[]): Frame {
    const decision = { ...emptyDecision, ...receipt }
    const value = encodeAvro(decision, id)
    const headers = headersOf(decision, traceparent)
    const record = encodeRecord({ key: null, value: noBytes, headers })
    return {
      prefix: value.subarray(0, value.length - emptyBytes),
      suffix: record.subarray(beforeHeaders)
    }
  }

  return {
    encode: (decision, traceparent) => {
      const id = schemaId()
      if (id === null) throw schemaUnavailable()
      if (leastSizeOf(decision) > decisionBytesMax) throw tooLarge(sizesOf(decision))
      const value = encodeAvro(decision, id)
      if (value.length > decisionBytesMax) throw tooLarge(sizesOf(decision), value.length)
      countBytes(value.length)
      const key = Buffer.from(keyOf(decision), 'utf8')
      return encodeRecord({ key, value, headers: headersOf(decision, traceparent) })
    },

    frameOf: (receipt, traceparent) => {
      const id = schemaId()
      if (id === null) return null
      if (traceparent !== undefined) return makeFrame(receipt, id, traceparent)
      if (latest?.id !== id || !isSame(latest.receipt, receipt)) {
        latest = { receipt, id, frame: makeFrame(receipt, id) }
      }
      return latest.frame
    }
  }
}

function isSame(one: Receipt, other: Receipt): boolean {
  return one.received_at === other.received_at && one.organization_id === other.organization_id
}

const noBytes = Buffer.alloc(0)

function headersOf(decision: DecisionIdentity, header: string | string[] | undefined) {
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
