/** The evaluation group: every decision is evaluated, and what came of it is published. */
import { done } from '../../core/consumed.ts'
import type { Decision } from '../../core/decision.ts'
import type { Evaluation } from '../../core/evaluation.ts'
import { createDecodeDecision } from '../../platform/decoders.ts'
import type { Registry } from '../../platform/schema-registry.ts'
import { createDecodeBatch } from '../decode-batch.ts'
import type { Flood } from '../flood.ts'
import type { Patiently } from '../patiently.ts'
import { createConsumeBatch } from '../run-consumer.ts'
import type { Settle } from '../settle.ts'
import type { Publish } from './publish.ts'

export interface EvaluationDependencies {
  readonly registry: Registry
  readonly evaluate: (decision: Decision) => Evaluation
  readonly publish: Publish
  readonly flood: Flood
  readonly settle: Settle
  readonly patiently: Patiently
}

export function createEvaluation(dependencies: EvaluationDependencies) {
  const { registry, evaluate, publish, flood, settle, patiently } = dependencies
  return createConsumeBatch<Decision>({
    decode: createDecodeBatch(createDecodeDecision(registry), flood),
    handle: async (decisions) => {
      await publish(decisions.map(evaluate))
      return decisions.map(() => done)
    },
    settle,
    patiently
  })
}
