/** Exits on signals, because PID 1 of a container ignores signals that have no handler. */
import { constants } from 'node:os'

/**
 * Exits on SIGTERM and SIGINT with code 128 plus the signal number, unless the command has its own
 * listener.
 */
export function runUntilSignal(): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal])
    })
  }
}
