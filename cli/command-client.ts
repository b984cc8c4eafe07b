/** Creates the Kafka client of a command. The client logs only errors. */
import { createKafkaClient } from '../platform/kafka/kafka-client.ts'
import type { KafkaClient } from '../platform/kafka/kafka-client.ts'
import { kafkaSecurityOf } from '../platform/kafka/kafka-security.ts'
import { createLogger } from '../platform/telemetry/logger.ts'
import { commandClientId } from './command-client-id.ts'
import type { KafkaConfig } from './with-topic-reader.ts'

export function commandClient(config: KafkaConfig): KafkaClient {
  return createKafkaClient({
    brokers: config.KAFKA_BROKERS,
    clientId: commandClientId,
    logger: createLogger({ level: 'error', process: 'cli' }),
    security: kafkaSecurityOf(config)
  })
}
