/** Polls a condition until it is true or a timeout expires. */
import { setTimeout as sleep } from 'node:timers/promises'

const POLL_INTERVAL_MS = 100

export type Wait = {
  /** Beginning of the error message, to which "within 60 s" is added. */
  what: string
  timeoutMs: number
  probe: () => Promise<boolean>
  signal?: AbortSignal | undefined
}

/** Resolves when the probe returns true. An error thrown by the probe counts as false. */
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
