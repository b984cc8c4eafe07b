/** One worker as its primary knows it: whether it serves, and what it last reported. */
import type { MetricsSnapshot } from '../../platform/telemetry/metrics.ts'
import type { WorkerEnd, WorkerProcess } from './fork.ts'
import type { FromWorker, WorkerReport } from './messages.ts'

export interface WorkerHandle {
  readonly pid: number
  /** Has taken traffic at some time. */
  hasServed(): boolean
  /** Names of what it misses; a worker that says nothing is missing itself. */
  missing(): readonly string[]
  /** As last reported. */
  metrics(): MetricsSnapshot
  /** Resolves when it has reported anew, or did not within a second. */
  refresh(): Promise<void>
  /** Tells it to close each connection with its answer. */
  leave(): void
  stop(): void
  kill(): void
  readonly ended: Promise<WorkerEnd>
}

/** It reports twice a second. */
const silentAfterMs = 5000
const refreshMs = 1000
/** So long a silence is taken for an endless loop, which nobody else would notice. */
const hungAfterMs = 30_000
/** Before its first word a busy machine has to make a process of it. */
const startsWithinMs = 120_000

export function createWorkerHandle(worker: WorkerProcess): WorkerHandle {
  const waiting = new Map<number, () => void>()
  let report: WorkerReport | null = null
  let heardAt = performance.now()
  let hasServed = false
  let asked = 0
  let watchdog: NodeJS.Timeout | undefined

  worker.onMessage((message: FromWorker) => {
    heardAt = performance.now()
    watch(hungAfterMs)
    if (message.kind === 'serves') hasServed = true
    if (message.kind !== 'report') return
    report = message
    if (message.asked !== null) waiting.get(message.asked)?.()
  })

  function missing(): readonly string[] {
    const isSilent = performance.now() - heardAt > silentAfterMs
    return report === null || !hasServed || isSilent ? ['worker'] : report.missing
  }

  async function refresh(): Promise<void> {
    const id = (asked += 1)
    const { promise: answered, resolve } = Promise.withResolvers<void>()
    waiting.set(id, resolve)
    const timer = setTimeout(resolve, refreshMs)
    worker.send({ kind: 'report', asked: id })
    await Promise.race([answered, worker.ended])
    clearTimeout(timer)
    waiting.delete(id)
  }

  /** It is asked once more: perhaps it was this process that stood still. */
  function watch(silenceMs: number): void {
    clearTimeout(watchdog)
    watchdog = setTimeout(() => {
      void refresh().then(() => {
        if (performance.now() - heardAt >= silenceMs) worker.kill()
      })
    }, silenceMs).unref()
  }

  // One that hangs before its first report is ended as well.
  watch(startsWithinMs)
  void worker.ended.then(() => clearTimeout(watchdog))

  return {
    ...{ pid: worker.pid, ended: worker.ended, missing, refresh },
    hasServed: () => hasServed,
    metrics: () => report?.metrics ?? [],
    leave: () => worker.send({ kind: 'leave' }),
    stop: () => worker.send({ kind: 'stop' }),
    kill: () => worker.kill()
  }
}
