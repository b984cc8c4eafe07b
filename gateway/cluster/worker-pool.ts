/** Keeps a fixed number of workers running. A worker that exits unexpectedly is restarted. */
import { setTimeout as sleep } from 'node:timers/promises'
import { backoffMs } from '../../core/backoff.ts'
import type { Logger } from '../../platform/telemetry/logger.ts'
import type { Metrics, MetricsSnapshot } from '../../platform/telemetry/metrics.ts'
import { totalsOfEnded } from '../../platform/telemetry/metrics.ts'
import type { Fork, WorkerEnd } from './fork.ts'
import { createWorkerHandle } from './worker-handle.ts'
import type { WorkerHandle } from './worker-handle.ts'

export interface WorkerPool {
  start(): void
  /** Asks every worker to close each connection after its last pending response. */
  leave(): void
  /** Stops every worker, and resolves when all have exited. */
  stop(): Promise<void>
  /** Kills all workers that are still running. */
  kill(): void
  workers(): readonly WorkerHandle[]
  /** Returns the final metrics of workers that have exited. */
  endedMetrics(): MetricsSnapshot
  /**
   * Resolves with a nonzero exit code if a worker exits and neither it nor any running worker has
   * ever accepted traffic.
   */
  readonly failed: Promise<number>
}

interface WorkerPoolDependencies {
  readonly count: number
  readonly fork: Fork
  readonly metrics: Metrics
  readonly logger: Logger
  /** Aborted when shutdown begins. Workers are not restarted after that. */
  readonly stopping: AbortSignal
  /** Returns a number in [0, 1). */
  readonly random: () => number
}

const backoff = { baseMs: 200, capMs: 30_000 }
/**
 * Run time in milliseconds after which a worker counts as stable. If a stable worker exits, the
 * backoff starts again from the beginning.
 */
const steadyAfterMs = 60_000

export function createWorkerPool(dependencies: WorkerPoolDependencies): WorkerPool {
  const { count, fork, metrics, logger, stopping } = dependencies
  const workers = new Set<WorkerHandle>()
  const failed = Promise.withResolvers<number>()
  let endedMetrics: MetricsSnapshot = []
  let running: Promise<void>[] = []

  async function runWorker(): Promise<WorkerEnd & { worker: WorkerHandle; ranMs: number }> {
    const startedAt = performance.now()
    const worker = createWorkerHandle(fork())
    workers.add(worker)
    const end = await worker.ended
    workers.delete(worker)
    endedMetrics = totalsOfEnded([endedMetrics, worker.metrics()])
    return { ...end, worker, ranMs: performance.now() - startedAt }
  }

  /** Runs one worker, and restarts it until the pool stops. */
  async function keepRunning(): Promise<void> {
    for (let failures = 1; !stopping.aborted; failures += 1) {
      const { worker, exitCode, signal, ranMs } = await runWorker()
      if (stopping.aborted) return
      if (![worker, ...workers].some((each) => each.hasServed())) {
        return failed.resolve(exitCode || 1)
      }
      if (ranMs > steadyAfterMs) failures = 1
      const restartMs = backoffMs(backoff, failures, dependencies.random())
      const fields = { worker: worker.pid, exit_code: exitCode, signal, restart_ms: restartMs }
      logger.error(fields, 'worker exited, restarting')
      await sleep(restartMs, undefined, { signal: stopping }).catch(() => {})
      if (!stopping.aborted) metrics.count('sluice_worker_restarts_total', {})
    }
  }

  return {
    start: () => {
      running = Array.from({ length: count }, () => keepRunning())
    },
    leave: () => {
      for (const worker of workers) worker.leave()
    },
    stop: async () => {
      for (const worker of workers) worker.stop()
      await Promise.all(running)
    },
    kill: () => {
      for (const worker of workers) worker.kill()
    },
    workers: () => [...workers],
    endedMetrics: () => endedMetrics,
    failed: failed.promise
  }
}
