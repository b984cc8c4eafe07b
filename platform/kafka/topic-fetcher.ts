/** Topic fetcher: reads offsets and records of partitions without a consumer group. */
import type { Message } from './message-consumer.ts'

/** Offsets of one partition from `from` (inclusive) to `to` (exclusive). */
export interface OffsetRange {
  readonly partition: number
  readonly from: bigint
  readonly to: bigint
}

/**
 * Reason why offsets have no message. `transaction`: transaction markers, or records of an aborted
 * transaction. `deleted`: removed by retention or by a command. `absent`: no record exists at these
 * offsets, for example after compaction.
 */
export type GapKind = 'transaction' | 'deleted' | 'absent'

export interface Gap extends OffsetRange {
  readonly kind: GapKind
}

/** A range in which each offset belongs to a message or a gap. */
export interface FetchedRange extends OffsetRange {
  /** Messages in offset order. */
  readonly messages: readonly Message[]
  readonly gaps: readonly Gap[]
}

export interface TopicFetcher {
  /**
   * Returns one offset per partition: the start, the end, or the first offset with a timestamp at
   * or after `at` (milliseconds since 1970). Returns -1 if a partition has no such offset. The end
   * is the start of the first open transaction, if there is one.
   * @throws if no broker responds or the topic does not exist
   */
  offsets(topic: string, at: bigint | 'start' | 'end'): Promise<bigint[]>
  /**
   * Fetches once from the start of each range, with one request per partition leader. Returns one
   * fetched range for each, in the same order. A fetched range is empty if no record arrives within
   * a short wait. Returns 'out of range' if a range starts before the first available offset or
   * after the end of its partition.
   */
  fetch(topic: string, ranges: readonly OffsetRange[]): Promise<FetchedRange[] | 'out of range'>
  /** Closes the connections. Requests in progress fail. */
  close(): Promise<void>
}
