/** Child process that writes encoded decisions to a topic as a gateway would. */
import { randomUUID } from 'node:crypto'
import { createEncode } from '../platform/avro/avro-codec.ts'
import type { Decision } from '../core/decision/decision.ts'
import { uuidv7 } from '../core/ids/ids.ts'
import { systemClock } from '../platform/process/clock.ts'
import { createKafkaProducer } from '../platform/kafka/producer/kafka-producer.ts'
import type { RecordProducer } from '../platform/kafka/record-producer.ts'
import { createRegistry } from '../platform/registry/schema-registry.ts'
import { decisionContract, subjectOf } from '../schemas/index.ts'
import { makeDecisions } from './load/decisions.ts'
import { serveOrders } from './load/serve-orders.ts'

export interface FillOrder {
  readonly topic: string
  readonly decisions: number
  /** Organization of the decisions; a random one if omitted. */
  readonly organizationId?: string
  /** Whether the metadata includes an expected output for similarity evaluators. */
  readonly isExpected?: boolean
}

export interface FillReport {
  readonly bytes: number
}

const packSize = 500
/**
 * Maximum time in milliseconds for the broker to acknowledge a batch. If the broker takes longer,
 * the fill fails.
 */
const deadlineMs = 30_000

const registry = createRegistry(process.env['SCHEMA_REGISTRY_URL'] ?? '')
const encode = createEncode<Decision>(decisionContract.schema)
const ownOrganizationId = randomUUID()
const bodies = makeDecisions()

serveOrders(async (order: FillOrder): Promise<FillReport> => {
  const producer = createKafkaProducer({
    brokers: (process.env['KAFKA_BROKERS'] ?? '').split(','),
    clientId: 'sluice-bench',
    topic: order.topic,
    deadlineMs
  })
  await producer.connect()
  try {
    return await fill(order, producer)
  } finally {
    await producer.close()
  }
})

async function fill(order: FillOrder, producer: RecordProducer): Promise<FillReport> {
  const { topic, decisions } = order
  const schemaId = await registry.idOf(subjectOf(topic), decisionContract.text)
  if (schemaId === null) throw new Error('the decision schema is not registered')
  let bytes = 0
  for (let from = 0; from < decisions; from += packSize) {
    const pack = Array.from({ length: Math.min(packSize, decisions - from) }, (_, at) => {
      const decision = decisionOf(order, from + at)
      const value = encode(decision, schemaId)
      bytes += value.length
      const { organization_id, decision_id, agent_id } = decision
      const headers = { decision_id, organization_id }
      return { topic, key: Buffer.from(agent_id ?? ''), value, headers }
    })
    await producer.send(pack)
  }
  return { bytes }
}

function decisionOf(order: FillOrder, at: number): Decision {
  const body = bodies[at % bodies.length] ?? {}
  const { input, output, agent_id, session_id, domain } = body
  const expected = order.isExpected === true ? { expected: bodies[at % 7]?.['output'] } : {}
  const metadata = { ...(body['metadata'] as object), ...expected }
  return {
    decision_id: uuidv7(systemClock.now()),
    organization_id: order.organizationId ?? ownOrganizationId,
    received_at: systemClock.now(),
    input: JSON.stringify(input),
    output: String(output),
    agent_id: String(agent_id),
    session_id: String(session_id),
    domain: String(domain),
    metadata: JSON.stringify(metadata),
    input_tokens: Number(body['input_tokens']),
    output_tokens: Number(body['output_tokens']),
    sdk_version: null
  }
}
