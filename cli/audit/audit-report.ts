/** What an audit found. */
import type { MissingWhy, Outcome } from './verdict.ts'

export interface MissingRecord {
  readonly partition: number
  readonly offset: number
  readonly why: MissingWhy
  /** Left out where it cannot be decoded. */
  readonly organization_id?: string
  readonly decision_id?: string
}

export interface AuditedWindow {
  /** By the times of the messages; ISO, `to` excluded. */
  readonly from: string
  readonly to: string
  readonly topic: string
  readonly group: string
  readonly partitions: number
  /** Offsets without a message: markers of transactions; what the log has lost or compacted. */
  readonly transaction_offsets: number
  readonly absent_offsets: number
  /** Offsets that retention removed while they were read. */
  readonly deleted_offsets: number
  /** Partitions whose beginning is gone: the window may have begun in what they held before. */
  readonly truncated_partitions: readonly number[]
  /** Partitions of which the group has committed nothing: all of them is in flight. */
  readonly uncommitted_partitions: readonly number[]
  /** False when there were more identities than are remembered: repeats may count as stored. */
  readonly duplicates_are_exact: boolean
}

export interface PrometheusComparison {
  /** Null when Prometheus has no such series. */
  readonly queued: number | null
  /** Messages in the window without those that the gateways counted. */
  readonly difference: number | null
}

export interface AuditReport extends Readonly<Record<Outcome, number>> {
  readonly window: AuditedWindow
  /** Messages in the window; the sum of what follows. */
  readonly offsets: number
  /** At most `missingRecordsMax` of them. */
  readonly missing_records: readonly MissingRecord[]
  readonly prometheus?: PrometheusComparison
}

export const missingRecordsMax = 1000

/** In the order in which they are printed. */
export const outcomes: readonly Outcome[] = [
  ...(['stored', 'duplicate', 'conflict', 'dead_lettered', 'erased', 'in_flight'] as const),
  'missing'
]
