/** Stands where the log would, in a gateway that serves no ingest: nothing is opened or waited for.
 */
import { ProduceError } from '../../platform/kafka/record-producer.ts'
import type { RoutingProducer } from '../../platform/kafka/record-producer.ts'

/** No route leads here; should one ever, it is refused and not lost. */
function refuse(): Promise<never> {
  const cause = new Error('GATEWAY_ROUTES is api')
  return Promise.reject(new ProduceError('this process has no log', { retryable: false, cause }))
}

const producer: RoutingProducer = {
  connect: () => Promise.resolve(),
  route: () => ({ partition: -1, leader: -1 }),
  send: refuse,
  sendRouted: refuse,
  close: () => Promise.resolve()
}

export const noLog = {
  producer,
  schemaId: (): number | null => null,
  notReady: (): string[] => []
}
