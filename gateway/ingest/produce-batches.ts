/** Collects records for a few milliseconds, in one open batch per broker. */
import { EncodedRecords } from '../../platform/kafka/producer/encoded-records.ts'
import type { FailureOf } from './produce-failure.ts'

export interface Batch {
  readonly records: EncodedRecords
  readonly settled: PromiseWithResolvers<FailureOf>
  readonly timer: NodeJS.Timeout
  bytes: number
}

export interface Batches {
  /** Returns the open batch of a broker with room for another record of `bytes` bytes. */
  openFor(leader: number, bytes: number): Batch
  /** Sends all open batches. */
  flushAll(): void
}

/**
 * Maximum size of a batch in bytes. It is below the topic's max.message.bytes, because all records
 * of a batch may belong to one partition.
 */
const batchBytesMax = 4.5 * 1024 * 1024
const batchRecordsMax = 5000

export function createBatches(lingerMs: number, send: (batch: Batch) => void): Batches {
  const open = new Map<number, Batch>()

  function flush(leader: number): void {
    const batch = open.get(leader)
    if (batch === undefined) return
    open.delete(leader)
    clearTimeout(batch.timer)
    send(batch)
  }

  function openBatch(leader: number): Batch {
    const timer = setTimeout(flush, lingerMs, leader)
    const records = new EncodedRecords()
    const batch: Batch = { records, settled: Promise.withResolvers(), timer, bytes: 0 }
    open.set(leader, batch)
    return batch
  }

  return {
    openFor: (leader, bytes) => {
      const known = open.get(leader)
      if (known !== undefined && hasRoom(known, bytes)) return known
      flush(leader)
      return openBatch(leader)
    },
    flushAll: () => {
      for (const leader of [...open.keys()]) flush(leader)
    }
  }
}

function hasRoom({ records, bytes }: Batch, more: number): boolean {
  return records.length < batchRecordsMax && bytes + more <= batchBytesMax
}
