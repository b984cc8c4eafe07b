/** The storage groups: decisions and evaluations into Postgres. */
import type { Clock } from '../../core/clock.ts'
import type { Decision } from '../../core/decision/decision.ts'
import type { Evaluation } from '../../core/evaluation/evaluation.ts'
import { createDecodeDecision, createDecodeEvaluation } from '../../platform/registry/decoders.ts'
import type { Logger } from '../../platform/telemetry/logger.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import type { Postgres } from '../../platform/postgres/postgres.ts'
import type { Registry } from '../../platform/registry/schema-registry.ts'
import { createDecodeBatch } from '../decode-batch.ts'
import type { Flood } from '../flood.ts'
import type { Patiently } from '../patiently.ts'
import { createConsumeBatch } from '../run-consumer.ts'
import type { Settle } from '../settle.ts'
import { bisecting } from './bisect.ts'
import { createMeasureDelay } from './measure-delay.ts'
import { createStoreDecisions } from './store-decisions.ts'
import { createStoreEvaluations } from './store-evaluations.ts'
import { createSubscribers } from './subscribers.ts'
import { createTellCompleted } from './tell-completed.ts'
import { createTellDropped } from './tell-dropped.ts'

export interface LineDependencies {
  readonly registry: Registry
  readonly postgres: Postgres
  readonly flood: Flood
  readonly settle: Settle
  readonly patiently: Patiently
  readonly clock: Clock
  readonly metrics: Metrics
  readonly groupId: string
}

export function createConsumeDecisions(dependencies: LineDependencies) {
  const { registry, postgres, flood, settle, patiently, clock, metrics, groupId } = dependencies
  const measureDelay = createMeasureDelay({ metrics, clock })
  return createConsumeBatch<Decision>({
    decode: createDecodeBatch(createDecodeDecision(registry), flood),
    handle: measureDelay(bisecting(createStoreDecisions({ postgres }), groupId)),
    settle,
    patiently
  })
}

export function createConsumeEvaluations(
  dependencies: LineDependencies & { readonly logger: Logger }
) {
  const { registry, postgres, flood, settle, patiently, clock } = dependencies
  const { metrics, logger, groupId } = dependencies
  const tellCompleted = createTellCompleted({
    ...{ subscribers: createSubscribers({ clock }), clock },
    onDropped: createTellDropped({ metrics, logger, clock })
  })
  return createConsumeBatch<Evaluation>({
    decode: createDecodeBatch(createDecodeEvaluation(registry), flood),
    handle: bisecting(createStoreEvaluations({ postgres, tellCompleted }), groupId),
    settle,
    patiently
  })
}
