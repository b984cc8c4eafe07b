/** Waits for something to come true, with a name and a deadline, so that nothing just hangs. */
import { setTimeout as sleep } from 'node:timers/promises'

const POLL_INTERVAL_MS = 100

export type Wait = {
  /** Ends the sentence "... within 60 s". */
  what: string
  timeoutMs: number
  probe: () => Promise<boolean>
  signal?: AbortSignal | undefined
}

/** Polls until the probe answers true; a probe that throws has answered false. */
export async function waitUntil(wait: Wait): Promise<void> {
  const deadline = performance.now() + wait.timeoutMs
  let lastReason = ''
  while (performance.now() < deadline) {
    wait.signal?.throwIfAborted()
    try {
      if (await wait.probe()) return
      lastReason = ''
    } catch (error) {
      lastReason = ` (${error instanceof Error ? error.message : String(error)})`
    }
    await sleep(POLL_INTERVAL_MS, undefined, wait.signal ? { signal: wait.signal } : {})
  }
  throw new Error(`${wait.what} within ${Math.round(wait.timeoutMs / 1000)} s${lastReason}`)
}
