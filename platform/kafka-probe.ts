/** Asks whether a broker answers, on a connection of its own: never from a cache, and never behind
 *  records that wait.
 */
import { Base } from '@platformatic/kafka'
import { connectionOf } from './kafka-connection.ts'
import type { KafkaConnectionOptions } from './kafka-connection.ts'

export interface KafkaProbeOptions extends KafkaConnectionOptions {
  readonly topics: readonly string[]
}

export interface KafkaProbe {
  /** Resolves when a broker has described the topics just now. @throws within seconds otherwise. */
  ask(): Promise<void>
  close(): Promise<void>
}

/** Short, so that a broker that comes back is noticed soon. */
const timeoutMs = 2000

export function createKafkaProbe(options: KafkaProbeOptions): KafkaProbe {
  const client = new Base({
    ...connectionOf(options),
    connectTimeout: timeoutMs,
    requestTimeout: timeoutMs,
    timeout: timeoutMs,
    retries: 0,
    autocreateTopics: false
  })
  // Whoever asked is told.
  client.on('error', () => {})
  const topics = [...options.topics]

  return {
    ask: async () => void (await client.metadata({ topics: [...topics], forceUpdate: true })),
    close: async () => void (await client.close())
  }
}
