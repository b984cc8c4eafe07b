/** Defines the services, settings and state that the steps of the worker share. */
import type { Decision } from '../../../core/decision/decision.ts'
import type { Logger } from '../../../platform/telemetry/logger.ts'
import type { Metrics } from '../../../platform/telemetry/metrics.ts'
import type { Postgres } from '../../../platform/postgres/postgres.ts'
import type { Publish } from '../publish.ts'
import type { EvaluateOffline, Judge } from './judge-outcome.ts'
import type { Leases } from './maintenance/leases.ts'
import type { ReadVersion } from './read-version.ts'

export interface WorkerContext {
  readonly postgres: Postgres
  readonly publish: Publish
  readonly judge: Judge
  readonly evaluate: EvaluateOffline
  readonly readVersion: ReadVersion
  /**
   * Checks whether the decision records a judge call that Sluice made. Such decisions are never
   * evaluated, to prevent loops.
   */
  readonly isOwnCall: (decision: Decision) => boolean
  readonly metrics: Metrics
  readonly logger: Logger
  /** Lease duration of a run whose call is in progress. */
  readonly leaseMs: number
  /** Leases of the runs in progress. */
  readonly leases: Leases
  /** Aborted when shutdown stops waiting for calls. */
  readonly signal: AbortSignal
}
