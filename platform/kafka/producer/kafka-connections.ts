/** Broker connections: limits how often a connection to an unavailable broker is attempted. */
import type { BrokerAddress } from './kafka-metadata.ts'

/** Time after a failed attempt during which callers get its error instead of a new attempt. */
const pauseMs = 100

/** @throws the error of `connect`, from this call or a recent one */
type ConnectionTo<Connection> = (broker: BrokerAddress) => Promise<Connection>

/**
 * Limits connection attempts, because many batches can wait for one broker and each is retried ten
 * times per second.
 */
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
