/** produce: hands records to the log in small batches and waits for the broker's word.
 *
 * A record waits a few milliseconds for company, since a request of forty records costs the broker
 * and us little more than a request of one. Each broker gets batches of its own, so that one that
 * stalls holds up its own partitions only. What is unknown at the deadline is refused with 503: it
 * may still be written, and the caller's retry with the same decision_id is settled by the store.
 */
import { Problem } from '../../core/problem.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import type { OutgoingRecord, RoutingProducer } from '../../platform/kafka/record-producer.ts'
import { createBatches } from './produce-batches.ts'
import type { Batch } from './produce-batches.ts'
import { failureOf, tooMuchInFlight, unanswered } from './produce-failure.ts'
import type { FailureOf } from './produce-failure.ts'

/** Resolves when all in-sync replicas have the record. @throws {Problem} 503. */
export type Produce = (record: OutgoingRecord) => Promise<void>

/**
 * Resolves with one entry for each record, in order: null when all in-sync replicas have it. A
 * refusal in the place of a record is handed on.
 */
export type ProduceEach = (
  records: readonly (OutgoingRecord | Problem)[]
) => Promise<readonly (Problem | null)[]>

export interface ProduceDependencies {
  readonly producer: RoutingProducer
  readonly metrics: Metrics
  readonly lingerMs: number
  readonly deadlineMs: number
  readonly inFlightBytesMax: number
}

/** Headers and framing of a record, on top of its key and value. */
const recordOverheadBytes = 512

/** Where a record waits. */
interface Place {
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

  function enqueue({ topic, key, value, headers }: OutgoingRecord): Place | Problem {
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
    outcomesOf(records.map((record) => (record instanceof Problem ? record : enqueue(record))))

  /** Sends what waits and resolves when nothing is on its way any more. */
  async function drain(): Promise<void> {
    batches.flushAll()
    await Promise.allSettled(sending)
  }

  return { produce, produceEach, drain }
}

/** They share very few batches: each is waited for once, and not once for each of its records. */
async function outcomesOf(places: readonly (Place | Problem)[]): Promise<(Problem | null)[]> {
  const failures = new Map<Batch, FailureOf>()
  for (const place of places) {
    if (place instanceof Problem || failures.has(place.batch)) continue
    failures.set(place.batch, await place.batch.settled.promise)
  }
  return places.map((place) =>
    place instanceof Problem ? place : (failures.get(place.batch) ?? unanswered)(place.index)
  )
}

/**
 * Callers are answered at the deadline; the memory counts until the client lets go of it.
 */
async function deliver(batch: Batch, dependencies: ProduceDependencies): Promise<void> {
  const { producer, metrics, deadlineMs } = dependencies
  const startedAt = performance.now()
  const deadline = setTimeout(() => batch.settled.resolve(unanswered), deadlineMs)
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
