/** Limits the bytes that an audit reads from Kafka. */
import type { FetchedRange } from '../../platform/kafka/topic-fetcher.ts'

export interface AuditBudget {
  /** Counts the messages of a range. Returns false if the limit is exceeded. */
  take(fetched: FetchedRange): boolean
}

export function createAuditBudget(bytesMax: number): AuditBudget {
  let bytes = 0
  return {
    take: ({ messages }) => {
      for (const { key, value } of messages) bytes += (key?.length ?? 0) + (value?.length ?? 0)
      return bytes <= bytesMax
    }
  }
}
