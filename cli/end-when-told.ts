/** What the kernel does for all but the first process of a container: signals end it. */
import { constants } from 'node:os'

/**
 * Ends this process on SIGTERM and SIGINT, with 128 and the number of the signal, unless somebody
 * else listens: a command that stops in order.
 */
export function endWhenTold(): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal])
    })
  }
}
