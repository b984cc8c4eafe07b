/** Defines the messages between the primary and its workers. */
import type { MetricsSnapshot } from '../../platform/telemetry/metrics.ts'

export type FromPrimary =
  /** Requests an immediate report, which carries the same `requestId`. */
  | { readonly kind: 'report'; readonly requestId: number }
  /**
   * Asks the worker to close each connection after its last pending response. New requests are
   * still accepted.
   */
  | { readonly kind: 'leave' }
  | { readonly kind: 'stop' }

export interface WorkerReport {
  readonly kind: 'report'
  /** Null for a periodic report. */
  readonly requestId: number | null
  /** Names of the failing readiness checks. */
  readonly missing: readonly string[]
  readonly metrics: MetricsSnapshot
}

export type FromWorker =
  /** The worker is alive and loading its code. */
  | { readonly kind: 'starts' }
  /** The worker accepts traffic. */
  | { readonly kind: 'serves' }
  | WorkerReport
