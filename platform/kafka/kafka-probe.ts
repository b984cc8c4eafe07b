/** Asks whether a broker answers: never from a cache, and never behind records that wait. */
import { openMetadata } from './producer/kafka-metadata.ts'
import type { KafkaMetadata, KafkaMetadataOptions } from './producer/kafka-metadata.ts'

export type KafkaProbeOptions = KafkaMetadataOptions

export interface KafkaProbe {
  /** Resolves when a broker has described the topics just now. @throws within seconds otherwise. */
  ask(): Promise<void>
  close(): Promise<void>
}

export function createKafkaProbe(options: KafkaProbeOptions): KafkaProbe {
  const metadata: KafkaMetadata = openMetadata(options)
  return { ask: async () => void (await metadata.ask()), close: () => metadata.close() }
}
