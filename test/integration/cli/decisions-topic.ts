/** Writes decisions and invalid records to the topic, bypassing the gateway. */
import { createEncode } from '../../../platform/avro/avro-codec.ts'
import type { Decision } from '../../../core/decision/decision.ts'
import { keyOf } from '../../../core/decision/decision.ts'
import { createRegistry } from '../../../platform/registry/schema-registry.ts'
import { decisionContract, subjectOf } from '../../../schemas/index.ts'
import type { Installation } from '../../support/installation.ts'
import { produce } from '../../support/kafka.ts'
import type { NewRecord } from '../../support/kafka.ts'
import { services } from '../../support/services.ts'

export type WriteDecisions = {
  /** Encodes a decision as the gateway does. */
  encode(decision: Decision): Buffer
  /** Writes the records in order, to partition 0 unless a record names another. */
  write(...records: (Decision | (Partial<NewRecord> & { value: Buffer | null }))[]): Promise<void>
}

export async function createWriteDecisions({ topics }: Installation): Promise<WriteDecisions> {
  const registry = createRegistry(services().addresses.schemaRegistryUrl)
  const id = await registry.idOf(subjectOf(topics.decisions), decisionContract.text)
  if (id === null) throw new Error(`no schema is registered for ${topics.decisions}`)
  const encodeDecision = createEncode<Decision>(decisionContract.schema)
  const encode = (decision: Decision): Buffer => encodeDecision(decision, id)

  return {
    encode,
    write: async (...records) => {
      const made = records.map((record) =>
        'value' in record ? record : { value: encode(record), key: keyOf(record) }
      )
      await produce(
        topics.decisions,
        made.map((record) => ({ partition: 0, ...record }))
      )
    }
  }
}
