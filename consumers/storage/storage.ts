/** Creates the consumers that store decisions and evaluations in Postgres. */
import type { Clock } from '../../core/clock.ts'
import type { Decision } from '../../core/decision/decision.ts'
import type { Evaluation } from '../../core/evaluation/evaluation.ts'
import { createDecodeDecision, createDecodeEvaluation } from '../../platform/registry/decoders.ts'
import type { Logger } from '../../platform/telemetry/logger.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import type { Postgres } from '../../platform/postgres/postgres.ts'
import type { Registry } from '../../platform/registry/schema-registry.ts'
import { createDecodeBatch } from '../decode-batch.ts'
import type { DeadLetterLimit } from '../dead-letter-limit.ts'
import type { RetryWhileTransient } from '../retry-while-transient.ts'
import { createConsumeBatch } from '../consume-batch.ts'
import type { Settle } from '../settle.ts'
import { bisecting } from './bisect.ts'
import { createMeasureDelay } from './measure-delay.ts'
import { createStoreDecisions } from './store-decisions.ts'
import { createStoreEvaluations } from './store-evaluations.ts'
import { createSubscribers } from './subscribers.ts'
import { createNotifyCompleted } from './notify-completed.ts'
import { createReportDropped } from './report-dropped.ts'

interface StorageDependencies {
  readonly registry: Registry
  readonly postgres: Postgres
  readonly deadLetterLimit: DeadLetterLimit
  readonly settle: Settle
  readonly retryWhileTransient: RetryWhileTransient
  readonly clock: Clock
  readonly metrics: Metrics
  readonly groupId: string
}

export function createConsumeDecisions(dependencies: StorageDependencies) {
  const {
    registry,
    postgres,
    deadLetterLimit,
    settle,
    retryWhileTransient,
    clock,
    metrics,
    groupId
  } = dependencies
  const measureDelay = createMeasureDelay({ metrics, clock })
  return createConsumeBatch<Decision>({
    decode: createDecodeBatch(createDecodeDecision(registry), deadLetterLimit),
    handle: measureDelay(bisecting(createStoreDecisions({ postgres }), groupId)),
    settle,
    retryWhileTransient
  })
}

export function createConsumeEvaluations(
  dependencies: StorageDependencies & { readonly logger: Logger }
) {
  const { registry, postgres, deadLetterLimit, settle, retryWhileTransient, clock } = dependencies
  const { metrics, logger, groupId } = dependencies
  const notifyCompleted = createNotifyCompleted({
    subscribers: createSubscribers({ clock }),
    clock,
    onDropped: createReportDropped({ metrics, logger, clock })
  })
  return createConsumeBatch<Evaluation>({
    decode: createDecodeBatch(createDecodeEvaluation(registry), deadLetterLimit),
    handle: bisecting(createStoreEvaluations({ postgres, notifyCompleted }), groupId),
    settle,
    retryWhileTransient
  })
}
