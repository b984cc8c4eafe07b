/** What went wrong at the bottom: "connection failed" mends no certificate. */

/** Deep enough for every client of ours, and an end to errors that cause each other. */
const depthMax = 8

/** The messages from the outermost error to its cause, the same words once. */
export function rootMessageOf(error: unknown): string {
  const messages: string[] = []
  let current = error
  for (let depth = 0; depth < depthMax && isLikeAnError(current); depth++) {
    const { message } = current
    if (message !== '' && !messages.includes(message)) messages.push(message)
    // Of several, the first: with several brokers they mostly say the same.
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
