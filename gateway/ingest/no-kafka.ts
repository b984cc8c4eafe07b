/** Stands in for Kafka in a gateway that serves no ingest routes. Opens no connections. */
import { ProduceError } from '../../platform/kafka/record-producer.ts'
import type { EncodedProducer } from '../../platform/kafka/producer/encoded-records.ts'

/**
 * Rejects every write. No route calls it, but a write that succeeded here would be lost silently.
 */
function refuse(): Promise<never> {
  const cause = new Error('GATEWAY_ROUTES is api')
  return Promise.reject(
    new ProduceError('this process does not connect to Kafka', { retryable: false, cause })
  )
}

const producer: EncodedProducer = {
  connect: () => Promise.resolve(),
  partitions: () => [],
  send: refuse,
  sendEncoded: refuse,
  close: () => Promise.resolve()
}

export const noKafka = {
  producer,
  schemaId: (): number | null => null,
  notReady: (): string[] => []
}
