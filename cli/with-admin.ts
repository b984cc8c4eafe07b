/** Kafka's administration for the time of one command. */
import { createKafkaAdmin } from '../platform/kafka/kafka-admin.ts'
import type { KafkaAdmin } from '../platform/kafka/kafka-admin.ts'
import { commandClient } from './command-client.ts'
import type { LogConfig } from './with-log.ts'

/** Runs `work` and closes the connection, whatever becomes of it. */
export async function withAdmin<T>(
  config: LogConfig,
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
