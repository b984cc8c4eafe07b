/** Polls for what must come true soon, so that no test sleeps for a while and hopes. */
import { setTimeout as pause } from 'node:timers/promises'

const timeoutDefaultMs = 60_000
const pollMs = 25

/**
 * Resolves with the first answer that is neither false, null nor undefined.
 * @throws with `what`, and with what the last probe threw, once the time is over.
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
