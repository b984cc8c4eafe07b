/** The record of a dead letter: the original's bytes, and why it came here. */
import type { DeadLetter } from '../core/consumed.ts'
import type { Message } from '../platform/kafka/message-consumer.ts'
import type { OutgoingRecord } from '../platform/kafka/record-producer.ts'
import { deadLetterTopicOf } from '../schemas/index.ts'

const errorCharactersMax = 1000

/** Key, value and headers are the original's; ours begin with `dead_letter_`. */
export function deadLetterRecord(
  message: Message,
  letter: DeadLetter,
  groupId: string
): OutgoingRecord {
  return {
    topic: deadLetterTopicOf(message.topic),
    key: message.key,
    value: message.value ?? Buffer.alloc(0),
    headers: {
      ...message.headers,
      dead_letter_reason: letter.reason,
      dead_letter_step: letter.step,
      dead_letter_error: letter.error.slice(0, errorCharactersMax),
      // Two groups may refuse the same message.
      dead_letter_group: groupId,
      dead_letter_topic: message.topic,
      dead_letter_partition: String(message.partition),
      dead_letter_offset: String(message.offset)
    }
  }
}
