/** publish: evaluations onto their topic, acknowledged before the decisions' offsets move. */
import { createEncode } from '../../core/avro-codec.ts'
import { TransientError } from '../../core/consumed.ts'
import type { Evaluation } from '../../core/evaluation.ts'
import { keyOf } from '../../core/decision.ts'
import { ProduceError } from '../../platform/record-producer.ts'
import type { OutgoingRecord, RecordProducer } from '../../platform/record-producer.ts'
import type { Registry } from '../../platform/schema-registry.ts'
import { evaluationContract, subjectOf } from '../../schemas/index.ts'

/** Resolves when every evaluation is acknowledged. @throws {TransientError} */
export type Publish = (evaluations: readonly Evaluation[]) => Promise<void>

export interface PublishDependencies {
  readonly producer: RecordProducer
  readonly registry: Registry
  readonly topic: string
}

/** Far below the topic's max.message.bytes, since one partition may get all of it. */
const sendBytesMax = 1024 * 1024

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
    for (const chunk of chunksOf(records)) await send(producer, chunk)
  }
}

function recordOf(topic: string, evaluation: Evaluation, value: Buffer): OutgoingRecord {
  const { decision_id, organization_id } = evaluation
  const key = keyOf(evaluation)
  const headers = { decision_id, organization_id }
  return { topic, key: key === null ? null : Buffer.from(key, 'utf8'), value, headers }
}

function chunksOf(records: readonly OutgoingRecord[]): OutgoingRecord[][] {
  const chunks: OutgoingRecord[][] = []
  let bytes = sendBytesMax
  for (const record of records) {
    bytes += record.value.length
    if (bytes > sendBytesMax) {
      chunks.push([])
      bytes = record.value.length
    }
    chunks.at(-1)?.push(record)
  }
  return chunks
}

async function send(producer: RecordProducer, records: readonly OutgoingRecord[]): Promise<void> {
  try {
    await producer.send(records)
  } catch (error) {
    const passes = error instanceof ProduceError && error.retryable
    throw passes ? new TransientError('the log did not acknowledge', { cause: error }) : error
  }
}
