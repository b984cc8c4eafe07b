/** Reads the decisions on the topic with an independent Avro decoder. */
import { AvroReader, readWireFormat } from '../support/avro-reader.ts'
import { readAll } from '../support/kafka.ts'
import type { TopicRecord } from '../support/kafka.ts'
import { decisionContract } from '../../schemas/index.ts'
import { fingerprintOf } from './fingerprint.ts'
import type { Content } from './fingerprint.ts'
import type { FoundDecision } from './check-topic.ts'

type Decision = Content & {
  readonly decision_id: string
  readonly organization_id: string
}
type AvroSchema = Parameters<AvroReader['read']>[0]

const schema = JSON.parse(decisionContract.text) as AvroSchema

/** Reads and decodes all records, starting at the given offsets. */
export async function readTopic(
  topic: string,
  from: ReadonlyMap<number, bigint>
): Promise<FoundDecision[]> {
  return (await readAll(topic, from)).map(foundOf)
}

function foundOf({ key, headers, value }: TopicRecord): FoundDecision {
  const reader = new AvroReader(readWireFormat(value ?? Buffer.alloc(0)).payload)
  const decision = reader.read(schema) as Decision
  reader.end()
  const { decision_id, organization_id, agent_id, session_id } = decision
  const isConsistent =
    headers['decision_id'] === decision_id &&
    headers['organization_id'] === organization_id &&
    key === (agent_id ?? session_id ?? decision_id)
  return {
    decisionId: decision_id,
    fingerprint: isConsistent ? fingerprintOf(decision) : 'headers or key differ from the decision'
  }
}
