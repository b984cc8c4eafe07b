/** Handles SIGINT (Ctrl-C) and SIGTERM in long-running commands. */

const exitInterrupted = 130

/**
 * Returns a signal that is aborted on the first SIGINT or SIGTERM. The second one ends the process
 * immediately.
 */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(exitInterrupted)
      controller.abort()
    })
  }
  return controller.signal
}
