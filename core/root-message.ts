/** What went wrong at the bottom: "connection failed" mends no certificate. */

/** Deep enough for every client of ours, and an end to errors that cause each other. */
const depthMax = 8

/** The messages from the outermost error to its cause, the same words once. */
export function rootMessageOf(error: unknown): string {
  const messages: string[] = []
  let current = error
  for (let depth = 0; depth < depthMax && current instanceof Error; depth++) {
    if (current.message !== '' && !messages.includes(current.message)) {
      messages.push(current.message)
    }
    current = causeOf(current)
  }
  if (messages.length === 0) return String(error)
  return messages.join(': ')
}

/** Of several, the first: with several brokers they mostly say the same. */
function causeOf(error: Error): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors[0]
  return error.cause
}
