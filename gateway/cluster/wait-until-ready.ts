/** Waits for a worker to become ready before it listens, up to a time limit. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Readiness } from '../../platform/telemetry/management.ts'

const pollMs = 50
/**
 * Maximum time to wait in milliseconds. After that, the worker listens anyway, and callers get an
 * error that names the missing service.
 */
const waitMsMax = 10_000

/**
 * Resolves when every check passes, when the time is up, or when the process stops. A worker must
 * not listen earlier: as soon as one worker is ready, load balancers send traffic, and the primary
 * distributes it to all listening workers, whether they are ready or not.
 */
export async function waitUntilReady(notReady: Readiness, stopping: AbortSignal): Promise<void> {
  const endsAt = performance.now() + waitMsMax
  while (notReady().length > 0 && performance.now() < endsAt && !stopping.aborted) {
    await sleep(pollMs, undefined, { signal: stopping }).catch(() => {})
  }
}
