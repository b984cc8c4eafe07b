/** Creates the decoders for Sluice's topics, with their schemas and validation rules. */
import type { Decision } from '../../core/decision/decision.ts'
import type { Evaluation } from '../../core/evaluation/evaluation.ts'
import { decisionObjection, evaluationObjection } from '../../core/decision/storable.ts'
import { decisionContract, evaluationContract } from '../../schemas/index.ts'
import { createDecode } from './decode.ts'
import type { Decode } from './decode.ts'
import type { Registry } from './schema-registry.ts'

export function createDecodeDecision(registry: Registry): Decode<Decision> {
  return createDecode({
    registry,
    readerSchema: decisionContract.schema,
    objection: decisionObjection
  })
}

export function createDecodeEvaluation(registry: Registry): Decode<Evaluation> {
  return createDecode({
    registry,
    readerSchema: evaluationContract.schema,
    objection: evaluationObjection
  })
}
