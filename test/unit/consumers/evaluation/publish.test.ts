/** Tests publishing: evaluations are sent in chunks, each acknowledged before the next. */
import { describe, expect, test } from '@jest/globals'
import { createDecoderFactory } from '../../../../platform/avro/avro-codec.ts'
import { TransientError } from '../../../../core/message-outcome.ts'
import type { Evaluation } from '../../../../core/evaluation/evaluation.ts'
import { readWireFormat } from '../../../../core/wire-format.ts'
import { createPublish } from '../../../../consumers/evaluation/publish.ts'
import { ProduceError } from '../../../../platform/kafka/record-producer.ts'
import { evaluationContract } from '../../../../schemas/index.ts'
import { anEvaluation, aRun, aScore } from '../../../support/builders.ts'
import { FakeProducer, FakeRegistry } from '../fakes.ts'

const decodePayload = createDecoderFactory<Evaluation>(evaluationContract.schema)(
  evaluationContract.schema
)

function scene() {
  const producer = new FakeProducer()
  const registry = new FakeRegistry()
  registry.ids.set('evaluations-value', 12)
  const publish = createPublish({ producer, registry, topic: 'evaluations' })
  return { publish, producer, registry }
}

/** Creates an evaluation of about this number of bytes. */
function large(bytes: number): Evaluation {
  return anEvaluation({ later_runs: [aRun({ scores: [aScore({ reason: 'x'.repeat(bytes) })] })] })
}

test('encodes an evaluation with its schema and key', async () => {
  const { publish, producer } = scene()
  const evaluation = anEvaluation()
  await publish([evaluation])
  const [record] = producer.records
  const { decision_id, organization_id } = evaluation
  expect(record).toMatchObject({ topic: 'evaluations', headers: { decision_id, organization_id } })
  expect(String(record?.key)).toBe(evaluation.agent_id)
  const { schemaId, payload } = readWireFormat(record?.value ?? Buffer.alloc(0))
  expect(schemaId).toBe(12)
  expect(decodePayload(payload)).toEqual(evaluation)
})

const decisionId = '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55'

test.each([
  ['the session', { agent_id: null, session_id: 's' }, 's'],
  ['the decision', { agent_id: null, session_id: null }, decisionId]
])('keys an evaluation without an agent by %s, like its decision', async (_what, names, key) => {
  const { publish, producer } = scene()
  await publish([anEvaluation({ ...names, decision_id: decisionId })])
  expect(producer.records[0]?.key?.toString()).toBe(key)
})

describe('chunks', () => {
  test('sends nothing for an empty list', async () => {
    const { publish, producer } = scene()
    await publish([])
    expect(producer.sends).toEqual([])
  })

  test('sends up to 1 MiB in one request', async () => {
    const { publish, producer } = scene()
    await publish(Array.from({ length: 500 }, () => anEvaluation()))
    expect(producer.sends).toEqual([500])
  })

  test('sends more in several requests, in order and without loss', async () => {
    const { publish, producer } = scene()
    const evaluations = [400, 400, 400, 900, 100, 1500, 10].map((kilobytes) =>
      large(kilobytes * 1024)
    )
    await publish(evaluations)
    expect(producer.sends).toEqual([2, 1, 2, 1, 1])
    expect(producer.records.map(({ headers }) => headers['decision_id'])).toEqual(
      evaluations.map(({ decision_id }) => decision_id)
    )
  })
})

describe('the id of the schema', () => {
  test('is requested once', async () => {
    const { publish, registry } = scene()
    await publish([anEvaluation()])
    await publish([anEvaluation()])
    expect(registry.asked).toEqual(['evaluations-value'])
  })

  test('causes a transient error while it is not registered', async () => {
    const { publish, registry, producer } = scene()
    registry.ids.clear()
    await expect(publish([anEvaluation()])).rejects.toBeInstanceOf(TransientError)
    registry.ids.set('evaluations-value', 13)
    await publish([anEvaluation()])
    expect(readWireFormat(producer.records[0]?.value ?? Buffer.alloc(0)).schemaId).toBe(13)
  })

  test('causes a transient error while the registry is unavailable', async () => {
    const { publish, registry } = scene()
    registry.failure = new TransientError('away')
    await expect(publish([anEvaluation()])).rejects.toBe(registry.failure)
  })
})

describe('a failed write', () => {
  test('is transient if Kafka did not acknowledge it, and later chunks are not sent', async () => {
    const { publish, producer } = scene()
    const cause = new ProduceError('away', { retryable: true, cause: null })
    producer.failures.push(cause)
    const published = publish([large(900 * 1024), large(900 * 1024)])
    await expect(published).rejects.toBeInstanceOf(TransientError)
    await expect(published).rejects.toMatchObject({ cause })
    expect(producer.records).toEqual([])
  })

  test.each([
    [
      'rejects the record for good',
      new ProduceError('too large', { retryable: false, cause: null })
    ],
    ['fails with another error', new TypeError('a bug')]
  ])('ends the batch if Kafka %s', async (_what, error) => {
    const { publish, producer } = scene()
    producer.failures.push(error)
    await expect(publish([anEvaluation()])).rejects.toBe(error)
  })
})
