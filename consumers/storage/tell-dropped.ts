/** Counts webhook deliveries that are not written, and logs them once a minute. */
import type { Clock } from '../../core/clock.ts'
import { createCache } from '../../platform/process/cache.ts'
import type { Logger } from '../../platform/telemetry/logger.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import { completedEvent } from './completion.ts'

export interface TellDroppedDependencies {
  readonly metrics: Metrics
  readonly logger: Logger
  readonly clock: Clock
}

const everyMs = 60_000
const organizationsMax = 1000

/** Each organization is logged once a minute. */
export function createTellDropped({ metrics, logger, clock }: TellDroppedDependencies) {
  const told = createCache<{ readonly at: number }>(organizationsMax)

  return function tellDropped(organizationId: string, deliveries: number): void {
    const labels = { event: completedEvent, outcome: 'dropped' }
    metrics.count('sluice_webhook_deliveries_total', labels, deliveries)
    const now = clock.now()
    if (now - (told.get(organizationId)?.at ?? Number.NEGATIVE_INFINITY) < everyMs) return
    told.set(organizationId, { at: now })
    logger.warn(
      { organization_id: organizationId, deliveries },
      'webhook deliveries dropped: too many of the organization are pending'
    )
  }
}
