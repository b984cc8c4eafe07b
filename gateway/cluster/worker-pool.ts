/** Keeps a number of workers running: who ends untold is followed by another. */
import { setTimeout as sleep } from 'node:timers/promises'
import { backoffMs } from '../../core/backoff.ts'
import type { Logger } from '../../platform/telemetry/logger.ts'
import type { Metrics, MetricsSnapshot } from '../../platform/telemetry/metrics.ts'
import { remainsOf } from '../../platform/telemetry/metrics.ts'
import type { Fork, WorkerEnd } from './fork.ts'
import { createWorkerHandle } from './worker-handle.ts'
import type { WorkerHandle } from './worker-handle.ts'

export interface WorkerPool {
  start(): void
  /** Tells every worker to close each connection with its answer. */
  leave(): void
  /** Tells every worker to stop, and resolves when all have ended. */
  stop(): Promise<void>
  /** Ends what did not stop. */
  kill(): void
  workers(): readonly WorkerHandle[]
  /** What the workers that ended have counted. */
  remains(): MetricsSnapshot
  /** Resolves with an exit code when no worker serves and a new one ended before it did. */
  readonly hopeless: Promise<number>
}

export interface WorkerPoolDependencies {
  readonly count: number
  readonly fork: Fork
  readonly metrics: Metrics
  readonly logger: Logger
  /** Aborted the moment the stop begins: from then on nobody is followed. */
  readonly stopping: AbortSignal
  /** In [0, 1). */
  readonly random: () => number
}

const backoff = { baseMs: 200, capMs: 30_000 }
/** Who ran so long did not fail at the start, so that its successor need not wait. */
const steadyAfterMs = 60_000

export function createWorkerPool(dependencies: WorkerPoolDependencies): WorkerPool {
  const { count, fork, metrics, logger, stopping } = dependencies
  const workers = new Set<WorkerHandle>()
  const hopeless = Promise.withResolvers<number>()
  let remains: MetricsSnapshot = []
  let kept: Promise<void>[] = []

  /** Runs one worker to its end. */
  async function employ(): Promise<WorkerEnd & { worker: WorkerHandle; ranMs: number }> {
    const startedAt = performance.now()
    const worker = createWorkerHandle(fork())
    workers.add(worker)
    const end = await worker.ended
    workers.delete(worker)
    remains = remainsOf([remains, worker.metrics()])
    return { ...end, worker, ranMs: performance.now() - startedAt }
  }

  /** Keeps one place filled. */
  async function keep(): Promise<void> {
    for (let failures = 1; !stopping.aborted; failures += 1) {
      const { worker, exitCode, signal, ranMs } = await employ()
      if (stopping.aborted) return
      if (![worker, ...workers].some((each) => each.hasServed())) {
        return hopeless.resolve(exitCode || 1)
      }
      if (ranMs > steadyAfterMs) failures = 1
      const restartMs = backoffMs(backoff, failures, dependencies.random())
      const fields = { worker: worker.pid, exit_code: exitCode, signal, restart_ms: restartMs }
      logger.error(fields, 'a worker ended, another one follows')
      await sleep(restartMs, undefined, { signal: stopping }).catch(() => {})
      if (!stopping.aborted) metrics.count('sluice_worker_restarts_total', {})
    }
  }

  return {
    start: () => {
      kept = Array.from({ length: count }, () => keep())
    },
    leave: () => {
      for (const worker of workers) worker.leave()
    },
    stop: async () => {
      for (const worker of workers) worker.stop()
      await Promise.all(kept)
    },
    kill: () => {
      for (const worker of workers) worker.kill()
    },
    workers: () => [...workers],
    remains: () => remains,
    hopeless: hopeless.promise
  }
}
