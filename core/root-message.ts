/** Collects the messages of an error and its causes. */

/**
 * Maximum number of errors to visit, including the first. It is enough for the libraries in use,
 * and ends the walk if causes form a cycle.
 */
const depthMax = 8

/** Joins the messages from the outermost error to its root cause, without repetitions. */
export function rootMessageOf(error: unknown): string {
  const messages: string[] = []
  let current = error
  for (let depth = 0; depth < depthMax && isLikeAnError(current); depth++) {
    const { message } = current
    if (message !== '' && !messages.includes(message)) messages.push(message)
    // Follows only the first of several errors, because brokers usually all report the same error.
    current = current.errors?.[0] ?? current.cause
  }
  return messages.length === 0 ? String(error) : messages.join(': ')
}

interface LikeAnError {
  readonly message: string
  readonly cause?: unknown
  readonly errors?: readonly unknown[]
}

function isLikeAnError(value: unknown): value is LikeAnError {
  if (typeof value !== 'object' || value === null) return false
  return typeof (value as { message?: unknown }).message === 'string'
}
