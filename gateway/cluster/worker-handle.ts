/** Tracks one worker for the primary: whether it has accepted traffic, and its last report. */
import type { MetricsSnapshot } from '../../platform/telemetry/metrics.ts'
import type { WorkerEnd, WorkerProcess } from './fork.ts'
import type { FromWorker, WorkerReport } from './messages.ts'

export interface WorkerHandle {
  readonly pid: number
  /** Checks whether the worker has ever accepted traffic. */
  hasServed(): boolean
  /**
   * Returns the names of the worker's failing readiness checks, or `worker` if it is silent or has
   * not accepted traffic yet.
   */
  missing(): readonly string[]
  /** Returns the metrics of the last report. */
  metrics(): MetricsSnapshot
  /** Requests a report. Resolves when it arrives, when the worker exits, or after a second. */
  refresh(): Promise<void>
  /** Asks the worker to close each connection after its last pending response. */
  leave(): void
  stop(): void
  kill(): void
  readonly ended: Promise<WorkerEnd>
}

/** Time in milliseconds after which a worker counts as silent. Workers report twice a second. */
const silentAfterMs = 5000
const refreshMs = 1000
/**
 * Time of silence in milliseconds after which a worker is killed, because it is probably stuck in
 * an endless loop.
 */
const hangMsMax = 30_000
/**
 * Maximum time in milliseconds until the first message. Starting a process can take a long time on
 * a busy machine.
 */
const startMsMax = 120_000

export function createWorkerHandle(worker: WorkerProcess): WorkerHandle {
  const waiting = new Map<number, () => void>()
  let report: WorkerReport | null = null
  let lastMessageAt = performance.now()
  let hasServed = false
  let lastRequestId = 0
  let watchdog: NodeJS.Timeout | undefined

  worker.onMessage((message: FromWorker) => {
    lastMessageAt = performance.now()
    watch(hangMsMax)
    if (message.kind === 'serves') hasServed = true
    if (message.kind !== 'report') return
    report = message
    if (message.requestId !== null) waiting.get(message.requestId)?.()
  })

  function missing(): readonly string[] {
    const isSilent = performance.now() - lastMessageAt > silentAfterMs
    return report === null || !hasServed || isSilent ? ['worker'] : report.missing
  }

  async function refresh(): Promise<void> {
    const id = (lastRequestId += 1)
    const { promise: answered, resolve } = Promise.withResolvers<void>()
    waiting.set(id, resolve)
    const timer = setTimeout(resolve, refreshMs)
    worker.send({ kind: 'report', requestId: id })
    await Promise.race([answered, worker.ended])
    clearTimeout(timer)
    waiting.delete(id)
  }

  /**
   * Kills the worker if it stays silent. First requests one more report, because this process
   * itself may have been paused.
   */
  function watch(silenceMs: number): void {
    clearTimeout(watchdog)
    watchdog = setTimeout(() => {
      void refresh().then(() => {
        if (performance.now() - lastMessageAt >= silenceMs) worker.kill()
      })
    }, silenceMs).unref()
  }

  // Also kills a worker that hangs before its first message.
  watch(startMsMax)
  void worker.ended.then(() => clearTimeout(watchdog))

  return {
    pid: worker.pid,
    ended: worker.ended,
    missing,
    refresh,
    hasServed: () => hasServed,
    metrics: () => report?.metrics ?? [],
    leave: () => worker.send({ kind: 'leave' }),
    stop: () => worker.send({ kind: 'stop' }),
    kill: () => worker.kill()
  }
}
