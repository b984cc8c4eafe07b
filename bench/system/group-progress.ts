/** Reports the lag of a consumer group. It is a separate process so that Node warnings caused by
 * kafkajs can be suppressed.
 */
import { createKafkaAdmin } from '../../platform/kafka/kafka-admin.ts'
import { createKafkaClient } from '../../platform/kafka/kafka-client.ts'
import { createLogger } from '../../platform/telemetry/logger.ts'
import { serveOrders } from '../load/serve-orders.ts'

export interface ProgressOrder {
  readonly groupId: string
  readonly topic: string
}

/** Lag by partition. */
export type ProgressReport = readonly { readonly partition: number; readonly lag: number }[]

const brokers = (process.env['KAFKA_BROKERS'] ?? '').split(',')
const logger = createLogger({ level: 'error', process: 'bench' })
const client = createKafkaClient({ brokers, clientId: 'sluice-bench', logger })
const admin = createKafkaAdmin(client.admin())
const connected = admin.connect()

serveOrders(async ({ groupId, topic }: ProgressOrder): Promise<ProgressReport> => {
  await connected
  const partitions = await admin.readGroupProgress(groupId, topic)
  return partitions.map(({ partition, committed, end }) => ({
    partition,
    lag: Number(end - committed)
  }))
})
