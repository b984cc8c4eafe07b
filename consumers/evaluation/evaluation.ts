/** The evaluation group: every decision is planned; what needs no network is evaluated at once. */
import { TransientError } from '../../core/consumed.ts'
import type { Decision } from '../../core/decision/decision.ts'
import { createDecodeDecision } from '../../platform/registry/decoders.ts'
import type { MessageBatch } from '../../platform/kafka/message-consumer.ts'
import { isTransientStoreError } from '../../platform/postgres/postgres.ts'
import type { Registry } from '../../platform/registry/schema-registry.ts'
import { createDecodeBatch } from '../decode-batch.ts'
import type { Flood } from '../flood.ts'
import type { Patiently } from '../patiently.ts'
import { createConsumeBatch } from '../run-consumer.ts'
import type { Settle } from '../settle.ts'
import type { EvaluateAll } from './evaluate.ts'
import type { PlanDecisions } from './plan.ts'
import type { Publish } from './publish.ts'

export interface EvaluationDependencies {
  readonly registry: Registry
  readonly planDecisions: PlanDecisions
  readonly evaluateAll: EvaluateAll
  readonly publish: Publish
  readonly flood: Flood
  readonly settle: Settle
  readonly patiently: Patiently
  readonly groupId: string
}

export function createEvaluation(dependencies: EvaluationDependencies) {
  const { registry, planDecisions, evaluateAll, publish, flood, settle, patiently } = dependencies
  const { groupId } = dependencies
  return createConsumeBatch<Decision>({
    decode: createDecodeBatch(createDecodeDecision(registry), flood),
    handle: async (decisions, batch) => {
      const begin = beginOf(batch, groupId)
      const planned = await transiently(() => planDecisions(decisions, begin))
      await publish(evaluateAll(planned))
      return planned.map(({ outcome }) => outcome)
    },
    settle,
    patiently
  })
}

/**
 * Where the batch begins: what is planned is not published yet. Nobody is fenced, since a batch
 * that two members plan has one plan all the same.
 */
function beginOf({ topic, partition, messages, nextOffset }: MessageBatch, groupId: string) {
  return { groupId, topic, partition, nextOffset: messages[0]?.offset ?? nextOffset, epoch: 0 }
}

/** Plans hold nothing that the store refuses, so what it says otherwise is a bug. */
async function transiently<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (!isTransientStoreError(cause)) throw cause
    throw new TransientError(`the store: ${(cause as Error).message}`, { cause })
  }
}
