/** Limits the bytes that an audit reads from Kafka. */
import type { Message } from '../../platform/kafka/message-consumer.ts'
import type { FetchedRange } from '../../platform/kafka/topic-fetcher.ts'

export interface AuditBudget {
  /** Adds the bytes of the messages in a range. Returns false if the total exceeds the limit. */
  take(fetched: FetchedRange): boolean
}

export function createAuditBudget(bytesMax: number): AuditBudget {
  let bytes = 0
  return {
    take: ({ messages }) => {
      for (const message of messages) bytes += bytesOf(message)
      return bytes <= bytesMax
    }
  }
}

function bytesOf({ key, value, headers }: Message): number {
  let bytes = (key?.length ?? 0) + (value?.length ?? 0)
  for (const [name, header] of Object.entries(headers)) bytes += name.length + header.length
  return bytes
}
