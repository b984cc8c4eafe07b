/** Produces records: writes them to Kafka in small batches and waits for the acknowledgement.
 *
 * A record waits a few milliseconds to be batched, because a produce request with forty records
 * costs little more than one with a single record. Each broker has its own batches, so that a
 * stalled broker delays only its own partitions. Records without a result at the deadline get 503.
 * They may still be written; a retry with the same decision_id is stored once.
 */
import type { Problem } from '../../core/problem.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import { partitionAt } from '../../platform/kafka/producer/encoded-records.ts'
import type { EncodedProducer, Partitions } from '../../platform/kafka/producer/encoded-records.ts'
import type { DecisionBatch } from './decision-batch.ts'
import { createBatches } from './produce-batches.ts'
import type { Batch } from './produce-batches.ts'
import { failureOf, tooMuchInFlight, unacknowledged } from './produce-failure.ts'
import type { FailureOf } from './produce-failure.ts'

/**
 * Writes the decisions that are not rejected. Resolves when each has a result: it stays accepted if
 * all in-sync replicas have its record, and is rejected with a 503 otherwise.
 */
export type Produce = (decisions: DecisionBatch) => Promise<void>

interface ProduceDependencies {
  readonly producer: EncodedProducer
  readonly metrics: Metrics
  readonly lingerMs: number
  readonly deadlineMs: number
  readonly inFlightBytesMax: number
}

/** Allowance in bytes for the framing of a record, in addition to its own bytes. */
const recordOverheadBytes = 512

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

  /** Adds a decision to a batch. Returns null if too many bytes are in flight. */
  function enqueue(decisions: DecisionBatch, index: number, partitions: Partitions): Batch | null {
    const start = decisions.starts[index] as number
    const bytes = (decisions.ends[index] as number) - start + recordOverheadBytes
    if (inFlightBytes + bytes > inFlightBytesMax) return null
    const partition = partitionAt(decisions.buffers[index] as Buffer, start, partitions.length)
    const batch = batches.openFor(partitions[partition]?.leader ?? -1, bytes)
    batch.records.add(decisions, index, partition)
    batch.bytes += bytes
    inFlightBytes += bytes
    inFlightRecords += 1
    return batch
  }

  const produce: Produce = async (decisions) => {
    const { problems } = decisions
    const partitions = producer.partitions()
    decisions.isBeingSent = true
    /** The batch of each decision, or null if it is rejected; and its index there. */
    const chosen: (Batch | null)[] = []
    const places: number[] = []
    for (let index = 0; index < problems.length; index++) {
      const batch = problems[index] === null ? enqueue(decisions, index, partitions) : null
      if (batch === null) problems[index] ??= tooMuchInFlight()
      chosen.push(batch)
      places.push(batch === null ? 0 : batch.records.length - 1)
    }
    const failures = await failuresOf(new Set(chosen))
    // After a failure, the client may still send the records.
    decisions.isBeingSent = failures.size > 0
    if (failures.size > 0) noteFailures(problems, { chosen, places, failures })
  }

  /** Sends the open batches and resolves when no batch is in flight. */
  async function drain(): Promise<void> {
    batches.flushAll()
    await Promise.allSettled(sending)
  }

  return { produce, drain }
}

interface SentDecisions {
  readonly chosen: readonly (Batch | null)[]
  readonly places: readonly number[]
  readonly failures: ReadonlyMap<Batch, FailureOf>
}

function noteFailures(problems: (Problem | null)[], sent: SentDecisions): void {
  const { chosen, places, failures } = sent
  for (const [index, batch] of chosen.entries()) {
    if (batch !== null) problems[index] = failures.get(batch)?.(places[index] as number) ?? null
  }
}

/** Awaits the batches. Returns the failures of those with a record that was not acknowledged. */
async function failuresOf(batches: ReadonlySet<Batch | null>): Promise<Map<Batch, FailureOf>> {
  const failures = new Map<Batch, FailureOf>()
  for (const batch of batches) {
    if (batch === null) continue
    const failure = await batch.settled.promise
    if (failure !== acknowledged) failures.set(batch, failure)
  }
  return failures
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
    await producer.sendEncoded(batch.records)
    batch.settled.resolve(acknowledged)
    metrics.observe('sluice_produce_seconds', {}, (performance.now() - startedAt) / 1000)
  } catch (error) {
    batch.settled.resolve(failureOf(error))
  } finally {
    clearTimeout(deadline)
  }
}

/** The result of a batch whose records are all acknowledged. Compared by identity. */
const acknowledged: FailureOf = () => null
