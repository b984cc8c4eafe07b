/** Decodes a batch in slices, and checks the dead-letter limit after each slice. */
import type { Decode, Decoded } from '../platform/registry/decode.ts'
import type { BatchWriters } from '../platform/registry/writers.ts'
import type { DeadLetterLimit } from './dead-letter-limit.ts'
import type { DecodeBatch } from './consume-batch.ts'

/**
 * Number of messages per slice. Small, so that the dead-letter limit stops a batch of unknown
 * schema IDs before all of the IDs are requested from the registry.
 */
const sliceMessages = 100

export function createDecodeBatch<T>(
  decode: Decode<T>,
  deadLetterLimit: Pick<DeadLetterLimit, 'check'>
): DecodeBatch<T> {
  return async function decodeBatch(messages) {
    const asked: BatchWriters<T> = new Map()
    const decoded: Decoded<T>[] = []
    for (let start = 0; start < messages.length; start += sliceMessages) {
      const slice = messages.slice(start, start + sliceMessages)
      decoded.push(...(await Promise.all(slice.map((message) => decode(message, asked)))))
      deadLetterLimit.check(messages, decoded)
    }
    return decoded
  }
}
