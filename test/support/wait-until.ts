/** Polls a condition with a deadline, so that tests need no fixed sleeps. */
import { setTimeout as pause } from 'node:timers/promises'

const timeoutDefaultMs = 120_000
const pollMs = 25

/**
 * Resolves with the first result that is not false, null or undefined.
 * @throws {Error} that contains `what` and the last error of the probe, on timeout
 */
export async function waitUntil<T>(
  what: string,
  probe: () => Promise<T> | T,
  timeoutMs = timeoutDefaultMs
): Promise<NonNullable<Exclude<T, false>>> {
  const deadline = performance.now() + timeoutMs
  let cause: unknown
  do {
    try {
      const answer = await probe()
      if (isAnswer(answer)) return answer
      cause = undefined
    } catch (error) {
      cause = error
    }
    await pause(pollMs)
  } while (performance.now() < deadline)
  throw new Error(`${what}: not within ${timeoutMs} ms`, { cause })
}

function isAnswer<T>(value: T): value is NonNullable<Exclude<T, false>> {
  return value !== false && value !== null && value !== undefined
}
