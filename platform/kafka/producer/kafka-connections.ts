/** Connections to brokers: one that cannot be had is not asked for by everybody at once. */
import type { KnownBroker } from './kafka-metadata.ts'

/** A failure is told to whoever asks within so many milliseconds. */
const pauseMs = 100

/** @throws what `connect` throws, now or a moment ago. */
export type ConnectionTo<Connection> = (broker: KnownBroker) => Promise<Connection>

/** Batches that wait try again ten times a second each, and many may wait for one broker. */
export function createConnectionTo<Connection>(
  connect: ConnectionTo<Connection>,
  now: () => number
): ConnectionTo<Connection> {
  const failed = new Map<string, { readonly until: number; readonly error: unknown }>()

  return async function connectionTo(broker) {
    const address = `${broker.host}:${broker.port}`
    const failure = failed.get(address)
    if (failure !== undefined && now() < failure.until) throw failure.error
    try {
      const connection = await connect(broker)
      failed.delete(address)
      return connection
    } catch (error) {
      failed.set(address, { until: now() + pauseMs, error })
      throw error
    }
  }
}
