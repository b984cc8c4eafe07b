/** What a primary and its workers say to each other. */
import type { MetricsSnapshot } from '../../platform/telemetry/metrics.ts'

export type FromPrimary =
  /** Report now; the answer carries the same number. */
  | { readonly kind: 'report'; readonly asked: number }
  /** Answers close their connections from now on; what comes is still taken. */
  | { readonly kind: 'leave' }
  | { readonly kind: 'stop' }

export interface WorkerReport {
  readonly kind: 'report'
  /** Null when nobody asked. */
  readonly asked: number | null
  /** Names of what is not ready. */
  readonly missing: readonly string[]
  readonly metrics: MetricsSnapshot
}

export type FromWorker =
  /** It is alive, and loads its code. */
  | { readonly kind: 'starts' }
  /** It takes traffic from now on. */
  | { readonly kind: 'serves' }
  | WorkerReport
