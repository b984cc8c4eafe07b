/** Counts ended runs by evaluator kind, status and reason. */
import type { LaterRun } from '../../../core/evaluation/evaluation.ts'
import type { Metrics } from '../../../platform/telemetry/metrics.ts'
import type { PendingRun } from './pending-run.ts'

/** Counts runs. Only the process that ended a run may count it, and only once. */
export function countEnded(metrics: Metrics, runs: readonly PendingRun[]): void {
  for (const { result } of runs) {
    if (result === null) continue
    const { evaluator_kind: kind, status, status_reason } = JSON.parse(result) as LaterRun
    const reason = status_reason ?? ''
    metrics.count('sluice_evaluation_runs_total', { kind, status, reason })
  }
}
