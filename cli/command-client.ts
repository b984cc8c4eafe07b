/** Kafka as commands use it: what its client logs is told only where it is an error. */
import { createKafkaClient } from '../platform/kafka/kafka-client.ts'
import type { KafkaClient } from '../platform/kafka/kafka-client.ts'
import { kafkaSecurityOf } from '../platform/kafka/kafka-security.ts'
import { createLogger } from '../platform/telemetry/logger.ts'
import { commandClientId } from './command-client-id.ts'
import type { LogConfig } from './with-log.ts'

export function commandClient(config: LogConfig): KafkaClient {
  return createKafkaClient({
    brokers: config.KAFKA_BROKERS,
    clientId: commandClientId,
    logger: createLogger({ level: 'error', process: 'cli' }),
    security: kafkaSecurityOf(config)
  })
}
