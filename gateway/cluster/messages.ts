/** What a primary and its workers say to each other. */
import type { MetricsSnapshot } from '../../platform/metrics.ts'

export type FromPrimary =
  /** Report now; the answer carries the same number. */
  { readonly kind: 'report'; readonly asked: number } | { readonly kind: 'stop' }

export interface WorkerReport {
  readonly kind: 'report'
  /** Null when nobody asked. */
  readonly asked: number | null
  /** Names of what is not ready. */
  readonly missing: readonly string[]
  readonly metrics: MetricsSnapshot
}

export type FromWorker =
  /** It takes traffic from now on. */
  { readonly kind: 'serves' } | WorkerReport
