/** The handlers whose answers are written as long as there is something to tell. */
import type { Logger } from '../../platform/telemetry/logger.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import type { OneTimeValues } from '../../platform/redis/one-time-values.ts'
import { createSealer } from '../../platform/security/sealed-secret.ts'
import type { StreamHandlers } from './stream-rows.ts'
import type { ReadDependencies } from '../decisions/read-decision.ts'
import { createExportDecisions } from './export/export-decisions.ts'
import { createOpenStreams } from './open-streams.ts'
import { createTailHub } from './tail/tail-hub.ts'
import { createTailPlaces } from './tail/tail-place.ts'
import type { TailPlacesOf } from './tail/tail-place.ts'
import { createIssueTailTicket, createTailByTicket } from './tail/tail-tickets.ts'
import { createOpenTail, createTail } from './tail/tail.ts'
import type { TailDependencies } from './tail/tail.ts'

export interface StreamsDependencies
  extends
    Pick<ReadDependencies, 'store' | 'clock' | 'decisionsTopic'>,
    Pick<TailDependencies, 'stopping' | 'liveSessions'> {
  readonly evaluationsTopic: string
  readonly streamsMax: number
  /** Ids of tail events are encrypted under a key of it; all gateways have the same. */
  readonly secret: string
  readonly oneTimeValues: OneTimeValues
  readonly logger: Logger
  readonly metrics: Metrics
}

export function createStreams(dependencies: StreamsDependencies): StreamHandlers {
  const { oneTimeValues, liveSessions } = dependencies
  const streams = createOpenStreams(dependencies)
  const sealer = createSealer(dependencies.secret)
  const placesOf: TailPlacesOf = (organizationId) => createTailPlaces(sealer, organizationId)
  const hub = createTailHub({ ...dependencies, placesOf })
  const openTail = createOpenTail({ ...dependencies, hub, placesOf, streams })
  return {
    tail: createTail(openTail),
    tailByTicket: createTailByTicket({ oneTimeValues, openTail, liveSessions }),
    issueTailTicket: createIssueTailTicket(oneTimeValues),
    exportDecisions: createExportDecisions({ ...dependencies, streams })
  }
}
