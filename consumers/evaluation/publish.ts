/** Publishes evaluations to their topic, before the offsets of the batch are committed. */
import { createEncode } from '../../platform/avro/avro-codec.ts'
import { TransientError } from '../../core/message-outcome.ts'
import type { Evaluation } from '../../core/evaluation/evaluation.ts'
import { keyOf } from '../../core/decision/decision.ts'
import type { OutgoingRecord, RecordProducer } from '../../platform/kafka/record-producer.ts'
import type { Registry } from '../../platform/registry/schema-registry.ts'
import { evaluationContract, subjectOf } from '../../schemas/index.ts'
import { sendAll } from '../send-all.ts'

/**
 * Resolves when Kafka has acknowledged every evaluation.
 * @throws {TransientError} if Kafka did not acknowledge them or the schema is not registered
 */
export type Publish = (evaluations: readonly Evaluation[]) => Promise<void>

interface PublishDependencies {
  readonly producer: RecordProducer
  readonly registry: Registry
  readonly topic: string
}

export function createPublish({ producer, registry, topic }: PublishDependencies): Publish {
  const encode = createEncode<Evaluation>(evaluationContract.schema)
  let schemaId: number | null = null

  return async function publish(evaluations) {
    schemaId ??= await registry.idOf(subjectOf(topic), evaluationContract.text)
    if (schemaId === null) throw new TransientError('the evaluation schema is not registered')
    const id = schemaId
    const records = evaluations.map((evaluation) =>
      recordOf(topic, evaluation, encode(evaluation, id))
    )
    await sendAll(producer, records)
  }
}

function recordOf(topic: string, evaluation: Evaluation, value: Buffer): OutgoingRecord {
  const { decision_id, organization_id } = evaluation
  const key = keyOf(evaluation)
  const headers = { decision_id, organization_id }
  return { topic, key: Buffer.from(key, 'utf8'), value, headers }
}
