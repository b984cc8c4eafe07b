/** Writes poison records and gzip-compressed decisions directly to Kafka, like a producer outside
 * Sluice.
 */
import { randomUUID } from 'node:crypto'
import { CompressionTypes, Kafka, logLevel } from 'kafkajs'
import type { Message } from 'kafkajs'
import { createEncode } from '../../../platform/avro/avro-codec.ts'
import type { Decision } from '../../../core/decision/decision.ts'
import { createRegistry } from '../../../platform/registry/schema-registry.ts'
import { decisionContract, subjectOf } from '../../../schemas/index.ts'
import { onEnd } from '../../support/cleanup.ts'
import type { Installation } from '../../support/installation.ts'
import { services } from '../../support/services.ts'
import { fingerprintOf } from '../fingerprint.ts'
import { hashRecord } from './hash-record.ts'
import type { LedgerFile } from './ledger-file.ts'
import { identityOf } from './ledger-line.ts'
import { poisonHeader } from './read-evidence.ts'

/** Record that storage must dead-letter. */
export interface Poison {
  readonly kind: string
  readonly value: Buffer | null
  /** Record key. Default: `another key`. */
  readonly key?: Buffer | null
}

export interface ForeignProducer {
  /** Encodes a decision with the registered schema. */
  encode(decision: Decision): Buffer
  /** Writes a poison record, and adds it to the ledger when the broker has acknowledged it. */
  poison(poison: Poison, partition: number): Promise<void>
  /**
   * Writes valid decisions as one compressed batch, and adds them to the ledger as acknowledged.
   */
  send(decisions: readonly Decision[], partition: number): Promise<void>
  close(): Promise<void>
}

export async function createForeignProducer(
  { topics }: Installation,
  ledger: LedgerFile
): Promise<ForeignProducer> {
  const { kafkaBrokers, schemaRegistryUrl } = services().addresses
  const topic = topics.decisions
  const registry = createRegistry(schemaRegistryUrl)
  const schemaId = await registry.idOf(subjectOf(topic), decisionContract.text)
  if (schemaId === null) throw new Error('the registry does not have the decision schema')
  const kafka = new Kafka({ brokers: kafkaBrokers.split(','), logLevel: logLevel.NOTHING })
  const producer = kafka.producer({ allowAutoTopicCreation: false })
  await producer.connect()
  const close = (): Promise<void> => producer.disconnect()
  onEnd(close)
  const encodeWith = createEncode<Decision>(decisionContract.schema)
  const encode = (decision: Decision): Buffer => encodeWith(decision, schemaId)

  async function write(messages: Message[], compression = CompressionTypes.None): Promise<void> {
    await producer.send({ topic, messages, acks: -1, compression })
  }

  return {
    encode,
    close,
    poison: async ({ kind, value, key = Buffer.from('another key') }, partition) => {
      const poisonId = randomUUID()
      const headers = { [poisonHeader]: poisonId, trace: Buffer.from([0xff, 0x00, 0xfe]) }
      await write([{ key, value, headers, partition }])
      const sorted = Object.entries(headers).map(
        ([name, text]) => [name, Buffer.from(text)] as const
      )
      const hash = hashRecord({ key, value, headers: sorted })
      ledger.write({ line: 'poison', poisonId, kind, hash })
    },
    send: async (decisions, partition) => {
      const messages = decisions.map((decision) => ({
        key: decision.agent_id ?? decision.session_id,
        value: encode(decision),
        headers: {
          decision_id: decision.decision_id,
          organization_id: decision.organization_id
        },
        partition
      }))
      await write(messages, CompressionTypes.GZIP)
      for (const decision of decisions) {
        const identity = identityOf(decision.organization_id, decision.decision_id)
        const fingerprint = fingerprintOf(decision)
        const result = { sent: 'good', outcome: 'acknowledged', code: '' } as const
        ledger.write({ line: 'attempt', identity, fingerprint, ...result })
      }
    }
  }
}
