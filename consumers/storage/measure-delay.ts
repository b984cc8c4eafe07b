/** measure delay: how long after its receipt a decision can be read. */
import type { Clock } from '../../core/clock.ts'
import type { Decision } from '../../core/decision/decision.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import type { HandleBatch } from '../run-consumer.ts'

export interface MeasureDelayDependencies {
  readonly metrics: Metrics
  readonly clock: Clock
}

/**
 * Observes each decision once its batch is committed, dead letters left out: the count is what
 * storage accounts for without anybody's help. Clocks of gateways may be ahead; that is no delay.
 */
export function createMeasureDelay({ metrics, clock }: MeasureDelayDependencies) {
  return function measureDelay(store: HandleBatch<Decision>): HandleBatch<Decision> {
    return async function storeMeasured(decisions, batch) {
      const outcomes = await store(decisions, batch)
      const now = clock.now()
      for (const [index, { received_at }] of decisions.entries()) {
        if (outcomes[index]?.kind === 'dead_letter') continue
        const seconds = Math.max(0, now - received_at) / 1000
        metrics.observe('sluice_storage_delay_seconds', {}, seconds)
      }
      return outcomes
    }
  }
}
