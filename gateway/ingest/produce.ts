/** produce: hands records to the log in small batches and waits for the broker's word.
 *
 * A record waits a few milliseconds for company, since a request of forty records costs the broker
 * and us little more than a request of one. What is unknown at the deadline is refused with 503: it
 * may still be written, and the caller's retry with the same decision_id is settled by the store.
 */
import { Problem } from '../../core/problem.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { ProduceError } from '../../platform/record-producer.ts'
import type { OutgoingRecord, RecordProducer } from '../../platform/record-producer.ts'

/** Resolves when all in-sync replicas have the record. @throws {Problem} 503. */
export type Produce = (record: OutgoingRecord) => Promise<void>

export interface ProduceDependencies {
  readonly producer: RecordProducer
  readonly metrics: Metrics
  readonly lingerMs: number
  readonly deadlineMs: number
  readonly inFlightBytesMax: number
}

/** Below the topic's max.message.bytes, which bounds a batch of one partition. */
const batchBytesMax = 4.5 * 1024 * 1024
const batchRecordsMax = 5000
/** Key, headers and framing of a record, on top of its value. */
const recordOverheadBytes = 512

interface Batch {
  readonly records: OutgoingRecord[]
  readonly outcome: PromiseWithResolvers<void>
  bytes: number
  timer: NodeJS.Timeout | undefined
}

export function createProduce(dependencies: ProduceDependencies) {
  const { producer, metrics, lingerMs, deadlineMs, inFlightBytesMax } = dependencies
  const sending = new Set<Promise<void>>()
  let open: Batch | undefined
  let inFlightBytes = 0
  let inFlightRecords = 0

  function account(bytes: number, records: number): void {
    inFlightBytes += bytes
    inFlightRecords += records
    metrics.set('sluice_produce_in_flight_bytes', {}, inFlightBytes)
    metrics.set('sluice_produce_in_flight_records', {}, inFlightRecords)
  }

  function flush(): void {
    if (open === undefined) return
    const batch = open
    open = undefined
    clearTimeout(batch.timer)
    const sent = deliver(batch, { producer, metrics, deadlineMs }).finally(() => {
      sending.delete(sent)
      account(-batch.bytes, -batch.records.length)
    })
    sending.add(sent)
  }

  function batchFor(size: number): Batch {
    const isFull =
      open && (open.bytes + size > batchBytesMax || open.records.length >= batchRecordsMax)
    if (isFull) flush()
    open ??= { records: [], outcome: Promise.withResolvers(), bytes: 0, timer: undefined }
    open.timer ??= setTimeout(flush, lingerMs)
    return open
  }

  return {
    produce: function produce(record: OutgoingRecord): Promise<void> {
      const size = record.value.length + recordOverheadBytes
      if (inFlightBytes + size > inFlightBytesMax) return Promise.reject(overloaded())
      const batch = batchFor(size)
      batch.records.push(record)
      batch.bytes += size
      account(size, 1)
      return batch.outcome.promise
    } satisfies Produce,

    /** Sends what waits and resolves when nothing is on its way any more. */
    drain: async function drain(): Promise<void> {
      flush()
      await Promise.allSettled(sending)
    }
  }
}

/**
 * Callers are answered at the deadline; the memory counts until the client lets go of it.
 */
async function deliver(
  batch: Batch,
  {
    producer,
    metrics,
    deadlineMs
  }: Pick<ProduceDependencies, 'producer' | 'metrics' | 'deadlineMs'>
): Promise<void> {
  const startedAt = performance.now()
  const deadline = setTimeout(() => batch.outcome.reject(notAcknowledged()), deadlineMs)
  try {
    await producer.send(batch.records)
    batch.outcome.resolve()
    metrics.observe('sluice_produce_seconds', {}, (performance.now() - startedAt) / 1000)
  } catch (error) {
    batch.outcome.reject(notAcknowledged(error))
  } finally {
    clearTimeout(deadline)
  }
}

function notAcknowledged(cause?: unknown): Problem {
  const isFinal = cause instanceof ProduceError && !cause.retryable
  const what = isFinal ? 'refused' : 'did not acknowledge'
  return new Problem('log_unavailable', {
    detail: `The log ${what} the decision in time. Send it again with the same decision_id.`,
    headers: { 'retry-after': isFinal ? '30' : '2' },
    cause
  })
}

function overloaded(): Problem {
  return new Problem('overloaded', {
    detail: 'Too many bytes wait for the log. Send the decision again in a moment.',
    headers: { 'retry-after': '1' }
  })
}
