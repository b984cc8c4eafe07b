/** The other side of the comparison: the records themselves, by a reader of our own. */
import { AvroReader, readWireFormat } from '../support/avro-reader.ts'
import { readAll } from '../support/kafka.ts'
import type { TopicRecord } from '../support/kafka.ts'
import { decisionContract } from '../../schemas/index.ts'
import { fingerprintOf } from './fingerprint.ts'
import type { Content } from './fingerprint.ts'
import type { Found } from './judge.ts'

type Decision = Content & {
  readonly decision_id: string
  readonly organization_id: string
}
type AvroSchema = Parameters<AvroReader['read']>[0]

const schema = JSON.parse(decisionContract.text) as AvroSchema

/** Everything from the given offsets on. */
export async function readTopic(
  topic: string,
  from: ReadonlyMap<number, bigint>
): Promise<Found[]> {
  return (await readAll(topic, from)).map(foundOf)
}

function foundOf({ key, headers, value }: TopicRecord): Found {
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
    fingerprint: isConsistent ? fingerprintOf(decision) : 'headers or key say something else'
  }
}
