/** Measures the delay of storage: the time from receipt of a decision until it can be read. */
import type { Clock } from '../../core/clock.ts'
import type { Decision } from '../../core/decision/decision.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import type { HandleBatch } from '../consume-batch.ts'

interface MeasureDelayDependencies {
  readonly metrics: Metrics
  readonly clock: Clock
}

/**
 * Observes each decision after its batch is stored. Excludes dead-lettered decisions, because they
 * are not stored. If a gateway's clock is ahead, the delay counts as zero.
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
