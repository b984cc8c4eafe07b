/** A worker that is not ready takes no connection, as long as that may soon be over. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Readiness } from '../../platform/telemetry/management.ts'

const lookMs = 50
/** Whoever waits longer misses something that is away, and says so to callers. */
const patienceMs = 10_000

/**
 * Resolves when nothing is missing any more, or when there is no use in waiting on. A primary is
 * ready with its first worker, and deals connections to each that listens.
 */
export async function waitUntilReady(notReady: Readiness, stopping: AbortSignal): Promise<void> {
  const endsAt = performance.now() + patienceMs
  while (notReady().length > 0 && performance.now() < endsAt && !stopping.aborted) {
    await sleep(lookMs, undefined, { signal: stopping }).catch(() => {})
  }
}
