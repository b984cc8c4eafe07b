/** Kafka probe: checks that a broker responds and that the topics exist. It uses neither the cached
 * metadata nor the record queue of a producer.
 */
import { openMetadata } from './producer/kafka-metadata.ts'
import type { KafkaMetadata, KafkaMetadataOptions } from './producer/kafka-metadata.ts'

type KafkaProbeOptions = KafkaMetadataOptions

export interface KafkaProbe {
  /**
   * Fetches the metadata of the topics from a broker.
   * @throws within seconds if no broker responds or a topic does not exist
   */
  check(): Promise<void>
  close(): Promise<void>
}

export function createKafkaProbe(options: KafkaProbeOptions): KafkaProbe {
  const metadata: KafkaMetadata = openMetadata(options)
  return { check: async () => void (await metadata.fetch()), close: () => metadata.close() }
}
