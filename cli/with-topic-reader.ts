/** Opens a topic reader for one command. The reader joins no consumer group. */
import { TransientError } from '../core/message-outcome.ts'
import type { Config } from '../platform/config/config.ts'
import { createKafkaFetcher } from '../platform/kafka/kafka-fetcher.ts'
import { kafkaSecurityOf } from '../platform/kafka/kafka-security.ts'
import type { kafkaSettingNames } from '../platform/kafka/kafka-security.ts'
import { createTopicReader } from '../platform/kafka/topic-reader.ts'
import type { TopicReader } from '../platform/kafka/topic-reader.ts'
import { commandClientId } from './command-client-id.ts'

export type KafkaConfig = Config<(typeof kafkaSettingNames)[number]>

/** Runs `work`, then closes the reader even after an error. */
export async function withTopicReader<T>(
  config: KafkaConfig,
  work: (reader: TopicReader) => Promise<T>
): Promise<T> {
  const reader = createTopicReader(
    createKafkaFetcher({
      brokers: config.KAFKA_BROKERS,
      clientId: commandClientId,
      security: kafkaSecurityOf(config)
    })
  )
  try {
    return await work(reader)
  } catch (error) {
    if (!(error instanceof TransientError)) throw error
    throw new Error('the schema registry is not reachable; check SCHEMA_REGISTRY_URL', {
      cause: error
    })
  } finally {
    await reader.close()
  }
}
