/** Counts runs that ended, by how. */
import type { LaterRun } from '../../../core/evaluation/evaluation.ts'
import type { Metrics } from '../../../platform/telemetry/metrics.ts'
import type { OpenRun } from './open-run.ts'

/** Each run once: by whoever ended it. */
export function countEnded(metrics: Metrics, runs: readonly OpenRun[]): void {
  for (const { result } of runs) {
    if (result === null) continue
    const { evaluator_kind: kind, status, status_reason } = JSON.parse(result) as LaterRun
    const reason = status_reason ?? ''
    metrics.count('sluice_evaluation_runs_total', { kind, status, reason })
  }
}
