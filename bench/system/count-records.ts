/** Prints the number of records on a topic. It is a separate process so that Node warnings caused
 * by kafkajs can be suppressed.
 */
import { createKafkaAdmin } from '../../platform/kafka/kafka-admin.ts'
import { createKafkaClient } from '../../platform/kafka/kafka-client.ts'
import { createLogger } from '../../platform/telemetry/logger.ts'

/** Consumer group that never commits, so its lag is the number of records on the topic. */
const groupId = 'sluice-bench'

const [topic = ''] = process.argv.slice(2)
const brokers = (process.env['KAFKA_BROKERS'] ?? '').split(',')
const logger = createLogger({ level: 'error', process: 'bench' })
const admin = createKafkaAdmin(createKafkaClient({ brokers, clientId: groupId, logger }).admin())
await admin.connect()
const partitions = await admin.readGroupProgress(groupId, topic)
const records = partitions.reduce((sum, { committed, end }) => sum + (end - committed), 0n)
await admin.close()
process.stdout.write(`${records}\n`)
