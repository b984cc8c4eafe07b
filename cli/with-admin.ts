/** Opens a Kafka admin client for one command. */
import { createKafkaAdmin } from '../platform/kafka/kafka-admin.ts'
import type { KafkaAdmin } from '../platform/kafka/kafka-admin.ts'
import { commandClient } from './command-client.ts'
import type { KafkaConfig } from './with-topic-reader.ts'

/** Runs `work`, then closes the client even after an error. */
export async function withAdmin<T>(
  config: KafkaConfig,
  work: (admin: KafkaAdmin) => Promise<T>
): Promise<T> {
  const admin = createKafkaAdmin(commandClient(config).admin())
  await admin.connect()
  try {
    return await work(admin)
  } finally {
    await admin.close()
  }
}
