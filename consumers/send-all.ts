/** Sends many records in requests of a bounded size; what may pass is said to be transient. */
import { TransientError } from '../core/consumed.ts'
import { ProduceError } from '../platform/kafka/record-producer.ts'
import type { OutgoingRecord, RecordProducer } from '../platform/kafka/record-producer.ts'

/** Far below the topics' max.message.bytes, since one partition may get all of it. */
const sendBytesMax = 1024 * 1024

/**
 * Resolves when every record is acknowledged.
 * @throws {TransientError} when the log is away; some may have been written, and may be sent again.
 */
export async function sendAll(
  producer: RecordProducer,
  records: readonly OutgoingRecord[]
): Promise<void> {
  for (const chunk of chunksOf(records)) {
    try {
      await producer.send(chunk)
    } catch (error) {
      const passes = error instanceof ProduceError && error.retryable
      throw passes ? new TransientError('the log did not acknowledge', { cause: error }) : error
    }
  }
}

function chunksOf(records: readonly OutgoingRecord[]): OutgoingRecord[][] {
  const chunks: OutgoingRecord[][] = []
  let bytes = 0
  for (const record of records) {
    const open = chunks.at(-1)
    if (open === undefined || bytes + record.value.length > sendBytesMax) {
      chunks.push([record])
      bytes = record.value.length
    } else {
      open.push(record)
      bytes += record.value.length
    }
  }
  return chunks
}
