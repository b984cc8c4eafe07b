/** Creates the step that produces records, with a producer that the test controls. */
import { createProduce } from '../../../../gateway/ingest/produce.ts'
import { RecordingMetrics } from '../../consumers/recording-metrics.ts'
import { batchOf, FakeProducer } from './fakes.ts'

export const mebibyte = 1024 * 1024

export function scene(overrides: { inFlightBytesMax?: number } = {}) {
  const log = new FakeProducer()
  const metrics = new RecordingMetrics()
  const { produce: produceBatch, drain } = createProduce({
    producer: log,
    metrics,
    lingerMs: 3,
    deadlineMs: 10_000,
    inFlightBytesMax: 64 * mebibyte,
    ...overrides
  })
  const inFlight = () => [
    metrics.levelOf('sluice_produce_in_flight_bytes'),
    metrics.levelOf('sluice_produce_in_flight_records')
  ]
  /** Produces one record, and throws its problem. */
  const produce = async (record: Buffer): Promise<void> => {
    const batch = batchOf([{ record }])
    await produceBatch(batch)
    batch.throwRejected()
  }
  return { produce, produceBatch, drain, log, metrics, inFlight }
}

/** Tracks the state of a promise without waiting for it. */
export function watch(promise: Promise<void>): { state: 'waiting' | 'resolved' | 'rejected' } {
  const seen: { state: 'waiting' | 'resolved' | 'rejected' } = { state: 'waiting' }
  promise.then(
    () => (seen.state = 'resolved'),
    () => (seen.state = 'rejected')
  )
  return seen
}
