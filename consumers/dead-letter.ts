/** Builds dead-letter records: the original key, value and headers, plus the reason for the
 * failure.
 */
import type { DeadLetter } from '../core/message-outcome.ts'
import type { Message } from '../platform/kafka/message-consumer.ts'
import type { OutgoingRecord } from '../platform/kafka/record-producer.ts'
import { deadLetterTopicOf } from '../schemas/index.ts'

const errorCharactersMax = 1000

/**
 * Adds the reason and the origin as `dead_letter_*` headers, which replace original headers of the
 * same name.
 */
export function deadLetterRecord(
  message: Message,
  outcome: DeadLetter,
  groupId: string
): OutgoingRecord {
  return {
    topic: deadLetterTopicOf(message.topic),
    key: message.key,
    value: message.value ?? Buffer.alloc(0),
    headers: {
      ...message.headers,
      dead_letter_reason: outcome.reason,
      dead_letter_step: outcome.step,
      dead_letter_error: outcome.error.slice(0, errorCharactersMax),
      // Distinguishes the records of two groups that dead-letter the same message.
      dead_letter_group: groupId,
      dead_letter_topic: message.topic,
      dead_letter_partition: String(message.partition),
      dead_letter_offset: String(message.offset)
    }
  }
}
