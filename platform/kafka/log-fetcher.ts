/** What reading the log takes of a client: where partitions begin and end, and what is there. */
import type { Message } from './message-consumer.ts'

/** Offsets of one partition: `from` is the first, `to` is behind the last. */
export interface OffsetRange {
  readonly partition: number
  readonly from: bigint
  readonly to: bigint
}

/**
 * Offsets without a message. `transaction`: markers of a transaction, or records of one that was
 * given up, which no consumer gets to see. `deleted`: retention, or somebody, has removed them.
 * `absent`: the log goes on behind them, and has nothing there; compaction does that.
 */
export type GapKind = 'transaction' | 'deleted' | 'absent'

export interface Gap extends OffsetRange {
  readonly kind: GapKind
}

/** All there is of a range of offsets: each of them is a message's, or in a gap. */
export interface Stretch extends OffsetRange {
  /** In the order of their offsets. */
  readonly messages: readonly Message[]
  readonly gaps: readonly Gap[]
}

export interface LogFetcher {
  /**
   * By partition, the first offset of that time (milliseconds since 1970) or later, or -1 where
   * there is none; or where the partitions begin or end. A transaction that is open ends one.
   * @throws when no broker answers, or when there is no such topic.
   */
  offsets(topic: string, at: bigint | 'start' | 'end'): Promise<bigint[]>
  /**
   * Asks once for what lies at the beginning of each range. A stretch for each of them, in their
   * order; one is empty when nothing came, which after a moment's wait says that nothing is there.
   * Nothing is answered for any of them when one begins before its partition does.
   */
  fetch(topic: string, ranges: readonly OffsetRange[]): Promise<Stretch[] | 'out of range'>
  /** Ends what is under way with an error. */
  close(): Promise<void>
}
