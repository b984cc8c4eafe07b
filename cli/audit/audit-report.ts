/** Defines the audit report: the audited window, message counts by outcome, and missing records. */
import type { MissingReason, AuditOutcome } from './audit-result.ts'

export interface MissingRecord {
  readonly partition: number
  readonly offset: number
  readonly why: MissingReason
  /** Absent if the message cannot be decoded. */
  readonly organization_id?: string
  readonly decision_id?: string
}

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
  /** First `missingRecordsMax` missing records. */
  readonly missing_records: readonly MissingRecord[]
  readonly prometheus?: PrometheusComparison
}

export const missingRecordsMax = 1000

/** All outcomes, in print order. */
export const auditOutcomes: readonly AuditOutcome[] = [
  'stored',
  'duplicate',
  'conflict',
  'dead_lettered',
  'erased',
  'in_flight',
  'missing'
]
