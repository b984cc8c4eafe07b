/** Reports an audit: the audited window, message counts by outcome, and missing records. */
import type { AuditOutcome, MissingRecord } from '../../store/audit/audit-result.ts'
import { messagesIn, totalOf } from '../../store/audit/audit-tally.ts'
import type { Audit, AuditRequest } from '../../store/audit/run-audit.ts'

interface AuditedWindow {
  /** Bounds of message timestamps, in ISO 8601. `to` is exclusive. */
  readonly from: string
  readonly to: string
  readonly topic: string
  readonly group: string
  readonly partitions: number
  /** Number of offsets that hold a transaction marker instead of a message. */
  readonly transaction_offsets: number
  /** Number of other offsets without a message, because Kafka compacted or lost the message. */
  readonly absent_offsets: number
  /** Number of offsets that retention deleted during the audit. */
  readonly deleted_offsets: number
  /**
   * Partitions whose oldest messages were deleted. Some of the deleted messages may belong to the
   * window.
   */
  readonly truncated_partitions: readonly number[]
  /**
   * Partitions in which the group has no committed offset. All their messages count as in flight.
   */
  readonly uncommitted_partitions: readonly number[]
  /**
   * False if there were more identities than the audit can remember. Some duplicates may then count
   * as stored.
   */
  readonly duplicates_are_exact: boolean
}

export interface PrometheusComparison {
  /** Null if Prometheus has no samples of the counter. */
  readonly queued: number | null
  /** Number of messages in the window, minus `queued`. */
  readonly difference: number | null
}

export interface AuditReport extends Readonly<Record<AuditOutcome, number>> {
  readonly window: AuditedWindow
  /** Number of messages in the window, which is the sum of all outcomes. */
  readonly offsets: number
  /** First missing records. */
  readonly missing_records: readonly MissingRecord[]
  readonly prometheus?: PrometheusComparison
}

export function reportOf({ topic, group, to }: AuditRequest, audit: Audit): AuditReport {
  const { from, available, ranges, committed, tally } = audit
  const { gaps } = tally
  const counts = totalOf(tally.all)
  const truncated = available.filter((range, index) => {
    return range.from > 0n && ranges[index]?.from === range.from
  })
  const uncommitted = ranges.filter((range) => {
    return range.to > range.from && (committed[range.partition] ?? -1n) < 0n
  })
  return {
    window: {
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      topic,
      group,
      partitions: available.length,
      transaction_offsets: gaps.transaction,
      absent_offsets: gaps.absent,
      deleted_offsets: gaps.deleted,
      truncated_partitions: truncated.map(({ partition }) => partition),
      uncommitted_partitions: uncommitted.map(({ partition }) => partition),
      duplicates_are_exact: audit.duplicatesAreExact
    },
    offsets: messagesIn(counts),
    ...counts,
    missing_records: tally.all.missing
  }
}
