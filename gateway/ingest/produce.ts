/** Produces records: writes them to Kafka in small batches and waits for the acknowledgement.
 *
 * A record waits a few milliseconds to be batched, because a produce request with forty records
 * costs little more than one with a single record. Each broker has its own batches, so that a
 * stalled broker delays only its own partitions. Records without a result at the deadline get 503.
 * They may still be written; a retry with the same decision_id is stored once.
 */
import { Problem } from '../../core/problem.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import type { OutgoingRecord, RoutingProducer } from '../../platform/kafka/record-producer.ts'
import { createBatches } from './produce-batches.ts'
import type { Batch } from './produce-batches.ts'
import { failureOf, tooMuchInFlight, unacknowledged } from './produce-failure.ts'
import type { FailureOf } from './produce-failure.ts'

/**
 * Writes a record. Resolves when all in-sync replicas have it.
 * @throws {Problem} 503
 */
export type Produce = (record: OutgoingRecord) => Promise<void>

/**
 * Writes records. Resolves with one entry per input record, in the same order: null if all in-sync
 * replicas have the record, otherwise its problem. A problem in the input is returned unchanged.
 */
export type ProduceEach = (
  records: readonly (OutgoingRecord | Problem)[]
) => Promise<readonly (Problem | null)[]>

interface ProduceDependencies {
  readonly producer: RoutingProducer
  readonly metrics: Metrics
  readonly lingerMs: number
  readonly deadlineMs: number
  readonly inFlightBytesMax: number
}

/** Allowance in bytes for the headers and framing of a record, in addition to its key and value. */
const recordOverheadBytes = 512

/** A record's position in its batch. */
interface QueuedRecord {
  readonly batch: Batch
  readonly index: number
}

export function createProduce(dependencies: ProduceDependencies) {
  const { producer, metrics, lingerMs, inFlightBytesMax } = dependencies
  const sending = new Set<Promise<void>>()
  const batches = createBatches(lingerMs, send)
  let inFlightBytes = 0
  let inFlightRecords = 0

  function report(): void {
    metrics.set('sluice_produce_in_flight_bytes', {}, inFlightBytes)
    metrics.set('sluice_produce_in_flight_records', {}, inFlightRecords)
  }

  function send(batch: Batch): void {
    report()
    const sent = deliver(batch, dependencies).finally(() => {
      sending.delete(sent)
      inFlightBytes -= batch.bytes
      inFlightRecords -= batch.records.length
      report()
    })
    sending.add(sent)
  }

  function enqueue({ topic, key, value, headers }: OutgoingRecord): QueuedRecord | Problem {
    const bytes = value.length + (key?.length ?? 0) + recordOverheadBytes
    if (inFlightBytes + bytes > inFlightBytesMax) return tooMuchInFlight()
    const { partition, leader } = producer.route(topic, key)
    const batch = batches.add(leader, { topic, key, value, headers, partition }, bytes)
    inFlightBytes += bytes
    inFlightRecords += 1
    return { batch, index: batch.records.length - 1 }
  }

  const produce: Produce = async (record) => {
    const place = enqueue(record)
    if (place instanceof Problem) throw place
    const problem = (await place.batch.settled.promise)(place.index)
    if (problem !== null) throw problem
  }

  const produceEach: ProduceEach = (records) =>
    resultsOf(records.map((record) => (record instanceof Problem ? record : enqueue(record))))

  /** Sends the open batches and resolves when no batch is in flight. */
  async function drain(): Promise<void> {
    batches.flushAll()
    await Promise.allSettled(sending)
  }

  return { produce, produceEach, drain }
}

/** Returns one result per record. Awaits each batch once, not once per record. */
async function resultsOf(places: readonly (QueuedRecord | Problem)[]): Promise<(Problem | null)[]> {
  const failures = new Map<Batch, FailureOf>()
  for (const place of places) {
    if (place instanceof Problem || failures.has(place.batch)) continue
    failures.set(place.batch, await place.batch.settled.promise)
  }
  return places.map((place) =>
    place instanceof Problem ? place : (failures.get(place.batch) ?? unacknowledged)(place.index)
  )
}

/**
 * Sends a batch. Callers get their result by the deadline, but the bytes count as in flight until
 * the Kafka client has finished with them.
 */
async function deliver(batch: Batch, dependencies: ProduceDependencies): Promise<void> {
  const { producer, metrics, deadlineMs } = dependencies
  const startedAt = performance.now()
  const deadline = setTimeout(() => batch.settled.resolve(unacknowledged), deadlineMs)
  try {
    await producer.sendRouted(batch.records)
    batch.settled.resolve(acknowledged)
    metrics.observe('sluice_produce_seconds', {}, (performance.now() - startedAt) / 1000)
  } catch (error) {
    batch.settled.resolve(failureOf(error))
  } finally {
    clearTimeout(deadline)
  }
}

const acknowledged: FailureOf = () => null
