/** Counts dropped webhook deliveries, and logs them at most once a minute per organization. */
import type { Clock } from '../../core/clock.ts'
import { createCache } from '../../platform/process/cache.ts'
import type { Logger } from '../../platform/telemetry/logger.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import { completedEvent } from './completion.ts'

interface ReportDroppedDependencies {
  readonly metrics: Metrics
  readonly logger: Logger
  readonly clock: Clock
}

const everyMs = 60_000
const organizationsMax = 1000

export function createReportDropped({ metrics, logger, clock }: ReportDroppedDependencies) {
  const loggedAt = createCache<{ readonly at: number }>(organizationsMax)

  return function reportDropped(organizationId: string, deliveries: number): void {
    const labels = { event: completedEvent, outcome: 'dropped' }
    metrics.count('sluice_webhook_deliveries_total', labels, deliveries)
    const now = clock.now()
    if (now - (loggedAt.get(organizationId)?.at ?? Number.NEGATIVE_INFINITY) < everyMs) return
    loggedAt.set(organizationId, { at: now })
    logger.warn(
      { organization_id: organizationId, deliveries },
      'webhook deliveries dropped: too many of the organization are pending'
    )
  }
}
