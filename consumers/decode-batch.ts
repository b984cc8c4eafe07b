/** Decodes a batch in slices, and checks the dead-letter limit after each slice. */
import type { Message } from '../platform/kafka/message-consumer.ts'
import type { Decode, Decoded } from '../platform/registry/decode.ts'
import type { BatchWriters } from '../platform/registry/writers.ts'
import type { DeadLetterLimit } from './dead-letter-limit.ts'

/**
 * Number of messages per slice. Small, so that the dead-letter limit stops a batch of unknown
 * schema IDs before all of the IDs are requested from the registry.
 */
const sliceMessages = 100

/**
 * Returns one result per message, in the order of the messages.
 * @throws {TransientError} if the writer schema of a message cannot be fetched
 * @throws {PartitionPause} if too many messages cannot be decoded
 */
export async function decodeBatch<T>(
  messages: readonly Message[],
  decode: Decode<T>,
  deadLetterLimit: Pick<DeadLetterLimit, 'check'>
): Promise<readonly Decoded<T>[]> {
  const asked: BatchWriters<T> = new Map()
  const decoded: Decoded<T>[] = []
  for (let start = 0; start < messages.length; start += sliceMessages) {
    const slice = messages.slice(start, start + sliceMessages)
    decoded.push(...(await Promise.all(slice.map((message) => decode(message, asked)))))
    deadLetterLimit.check(messages, decoded)
  }
  return decoded
}
