/** The log, read without a group, for the time of one command. */
import { TransientError } from '../core/consumed.ts'
import type { Config } from '../platform/config/config.ts'
import { createKafkaFetcher } from '../platform/kafka/kafka-fetcher.ts'
import { kafkaSecurityOf } from '../platform/kafka/kafka-security.ts'
import type { kafkaSettingNames } from '../platform/kafka/kafka-security.ts'
import { createTopicReader } from '../platform/kafka/topic-reader.ts'
import type { TopicReader } from '../platform/kafka/topic-reader.ts'
import { commandClientId } from './command-client-id.ts'

export type LogConfig = Config<(typeof kafkaSettingNames)[number]>

/** Runs `work` and closes the reader, whatever becomes of it. */
export async function withLog<T>(
  config: LogConfig,
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
    throw new Error('the schema registry does not answer; is SCHEMA_REGISTRY_URL right?', {
      cause: error
    })
  } finally {
    await reader.close()
  }
}
