/** Provides fakes for the ingest steps: a caller, a body and Kafka. */
import type { KeyPrincipal } from '../../../../core/principal.ts'
import { createUsageCounters } from '../../../../usage/usage-counters.ts'
import type { Decision } from '../../../../core/decision/decision.ts'
import type { Problem } from '../../../../core/problem.ts'
import { createCountUsage } from '../../../../gateway/ingest/count-usage.ts'
import { DecisionBatch } from '../../../../gateway/ingest/decision-batch.ts'
import { createEncoder } from '../../../../gateway/ingest/encode.ts'
import type { Encoder } from '../../../../gateway/ingest/encode.ts'
import { loadKernel } from '../../../../gateway/ingest/kernel/kernel.ts'
import type { Kernel, ItemPlaces } from '../../../../gateway/ingest/kernel/kernel.ts'
import { createReadCertain } from '../../../../gateway/ingest/kernel/read-certain.ts'
import type { Quota } from '../../../../gateway/ingest/limit-rate.ts'
import { parse } from '../../../../gateway/ingest/parse.ts'
import type { Submission } from '../../../../gateway/ingest/parse.ts'
import { createReadDecisions } from '../../../../gateway/ingest/read-decisions.ts'
import { createValidate } from '../../../../gateway/ingest/validate.ts'
import type { Validate } from '../../../../gateway/ingest/validate.ts'
import { encodeRecord } from '../../../../platform/kafka/producer/encoded-records.ts'
import type {
  EncodedProducer,
  EncodedRecords,
  Partitions
} from '../../../../platform/kafka/producer/encoded-records.ts'
import { BufferPool } from '../../../../platform/process/buffer-pool.ts'
import { noon } from '../../../support/builders.ts'
import { RecordingMetrics } from '../../consumers/recording-metrics.ts'
import { decodeRecord } from '../../platform/kafka/producer/records.ts'
import type { DecodedRecord } from '../../platform/kafka/producer/records.ts'

export const organizationId = '01938c4e-2222-7000-8000-5b7a9f002f6d'

export const principal: KeyPrincipal = {
  kind: 'api_key',
  organization_id: organizationId,
  key_id: 'abcdefghijkl',
  scopes: ['ingest'],
  rate_limit_points: null,
  key_rate_limit_points: null
}

/** A quota that grants everything. */
export const quota: Quota = {
  granted: 1,
  headers: { ratelimit: '"organization";r=9;t=60' },
  problem: null
}

/** Creates usage counters and the step that increments them. */
export function createNotes() {
  const noted = createUsageCounters({ metrics: new RecordingMetrics() })
  return { noted, notes: createCountUsage({ usage: noted, clock: { now: () => noon } }) }
}

export function submissionOf(body: string | object): Submission {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return parse('application/json', Buffer.from(text))
}

/** Returns an encoded record with a value of `valueBytes` bytes. */
export function aRecord(valueBytes = 100, key: string | null = null): Buffer {
  const bytes = key === null ? null : Buffer.from(key)
  return encodeRecord({ key: bytes, value: Buffer.alloc(valueBytes), headers: {} })
}

const encoder = createEncoder({ schemaId: () => 1, metrics: new RecordingMetrics() })

/** Leaves every body to the parser. */
export const noKernel: Kernel = () => null

/** What reads the bodies: the parser alone, or the kernel first. */
export const kernels: [string, Kernel][] = [
  ['the parser', noKernel],
  ['the kernel', loadKernel()]
]

interface ReadersOptions {
  /** Default: `noKernel`. */
  readonly kernel?: Kernel
  readonly pool?: BufferPool
  readonly metrics?: RecordingMetrics
  readonly encoder?: Encoder
  readonly validate?: Validate
}

/** Creates the readers of bodies. By default, the parser reads everything. */
export function createReaders(
  options: ReadersOptions = {}
): ReturnType<typeof createReadDecisions> {
  const { kernel = noKernel, pool = new BufferPool(), metrics = new RecordingMetrics() } = options
  const clock = { now: () => noon }
  const { validate = createValidate({ clock, metrics }) } = options
  const { encoder: encoderOfBodies = createEncoder({ schemaId: () => 1, metrics }) } = options
  const parts = { encoder: encoderOfBodies, validate }
  const readCertain = createReadCertain({ kernel, pool, clock, metrics, ...parts })
  return createReadDecisions({ readCertain, ...parts })
}

/** A decision of a batch: a record, a submission or a problem, or several of them. */
interface BatchItem {
  /** Default: a record without a key, or none if there is a problem. */
  readonly record?: Buffer | Decision
  readonly submission?: Submission
  readonly problem?: Problem
  /** The decision_id of a decision with a problem and without a record. */
  readonly id?: string
  readonly size?: number
}

function addTo(batch: DecisionBatch, index: number, item: BatchItem): void {
  const { submission = null, problem = null, id = null, size = 0 } = item
  batch.parsed(index, submission, size)
  const record = item.record ?? (problem === null ? aRecord() : null)
  if (record !== null) {
    batch.accept(index, Buffer.isBuffer(record) ? record : encoder.encode(record))
  }
  if (problem !== null) batch.reject(index, problem, id)
}

/** Creates a batch. An item with a record and a problem is rejected after it was encoded. */
export function batchOf(items: readonly BatchItem[], clientReport?: unknown): DecisionBatch {
  const batch = new DecisionBatch({ count: items.length, client_report: clientReport })
  for (const [index, item] of items.entries()) addTo(batch, index, item)
  return batch
}

/** Returns the places of a record that is alone in its slab, as the kernel returns them. */
export function rowOf(slab: Buffer, members: Partial<ItemPlaces> = {}): ItemPlaces {
  const places = { start: 0, end: 0, recordStart: 0, recordEnd: slab.length }
  return { ...places, hasAgent: 0, unknownMembers: 0, sdkStart: -1, sdkEnd: -1, ...members }
}

/** Returns the record of a decision, or null if it has none. */
export function recordAt(batch: DecisionBatch, index: number): DecodedRecord | null {
  const buffer = batch.buffers[index] ?? null
  return buffer === null ? null : decodeRecord(buffer, batch.starts[index], batch.ends[index])
}

/**
 * A producer with two brokers, whose writes are acknowledged by the test.
 */
export class FakeProducer implements EncodedProducer {
  readonly sends: { records: EncodedRecords; answer: PromiseWithResolvers<void> }[] = []

  /** The key `broker-2` belongs to the second one. */
  partitions(): Partitions {
    return [{ leader: 1 }, { leader: 2 }]
  }

  connect(): Promise<void> {
    return Promise.resolve()
  }

  send(): Promise<void> {
    return Promise.reject(new Error('not implemented'))
  }

  sendEncoded(records: EncodedRecords): Promise<void> {
    const answer = Promise.withResolvers<void>()
    this.sends.push({ records, answer })
    return answer.promise
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  acknowledge(index: number): void {
    this.sends[index]?.answer.resolve()
  }

  fail(index: number, error: Error): void {
    this.sends[index]?.answer.reject(error)
  }
}
