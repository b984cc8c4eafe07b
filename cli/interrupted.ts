/** Ctrl-C and its like, for commands that run for long. */

const exitInterrupted = 130

/** Aborted by the first signal; a second one ends the process, whatever it is at. */
export function interrupted(): AbortSignal {
  const told = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (told.signal.aborted) process.exit(exitInterrupted)
      told.abort()
    })
  }
  return told.signal
}
