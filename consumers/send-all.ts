/** Sends records in requests of limited size, and rethrows retryable failures as TransientError. */
import { TransientError } from '../core/message-outcome.ts'
import { ProduceError } from '../platform/kafka/record-producer.ts'
import type { OutgoingRecord, RecordProducer } from '../platform/kafka/record-producer.ts'

/**
 * Maximum total size of the values in a request, in bytes. A larger value is sent alone. Far below
 * max.message.bytes, because one partition may receive the whole request.
 */
const sendBytesMax = 1024 * 1024

/**
 * Resolves when every record is acknowledged.
 * @throws {TransientError} if Kafka did not acknowledge every record. Some may have been written.
 *   It is safe to send all of them again.
 */
export async function sendAll(
  producer: RecordProducer,
  records: readonly OutgoingRecord[]
): Promise<void> {
  for (const chunk of chunksOf(records)) {
    try {
      await producer.send(chunk)
    } catch (error) {
      const isTransient = error instanceof ProduceError && error.retryable
      throw isTransient
        ? new TransientError('Kafka did not acknowledge every record', { cause: error })
        : error
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
