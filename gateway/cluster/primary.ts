/** Creates the primary, which supervises the workers and serves the management port. It handles no
 * traffic.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Lifecycle } from '../../platform/process/lifecycle.ts'
import type { Logger } from '../../platform/telemetry/logger.ts'
import { startManagement } from '../../platform/telemetry/management.ts'
import { createMetrics, exposeSnapshots } from '../../platform/telemetry/metrics.ts'
import type { Exposition, ProcessMetrics } from '../../platform/telemetry/metrics.ts'
import { measureProcess } from '../../platform/telemetry/process-metrics.ts'
import type { GatewayConfig } from '../config.ts'
import { createFork } from './fork.ts'
import type { WorkerPool } from './worker-pool.ts'
import { createWorkerPool } from './worker-pool.ts'

interface PrimaryContext {
  readonly config: GatewayConfig
  readonly logger: Logger
  readonly lifecycle: Lifecycle
}

export function createPrimary({ config, logger, lifecycle }: PrimaryContext) {
  const metrics = createMetrics()
  const count = config.GATEWAY_WORKERS
  const pool = createWorkerPool({
    count,
    metrics,
    logger,
    fork: createFork(count),
    stopping: lifecycle.stopping,
    random: Math.random
  })

  return {
    failed: pool.failed,
    start: async (): Promise<void> => {
      measureProcess(metrics, () => false)
      metrics.onCollect(() => metrics.set('sluice_workers', {}, serving(pool)))
      const management = await startManagement({
        host: config.MANAGEMENT_HOST,
        port: config.MANAGEMENT_PORT,
        metrics: { expose: () => exposeAll(metrics, pool) },
        notReady: () => (lifecycle.isStopping() ? ['stopping'] : missingIn(pool)),
        logger
      })
      lifecycle.onStop('management port', () => management.close())
      lifecycle.onStop('remaining workers', () => Promise.resolve(pool.kill()))
      lifecycle.onStop('workers', () => pool.stop())
      lifecycle.onStop('readiness', () => {
        pool.leave()
        return sleep(config.SHUTDOWN_UNREADY_MS)
      })
      pool.start()
      logger.info({ workers: count, management_port: management.port }, 'starting workers')
    }
  }
}

function serving(pool: WorkerPool): number {
  return pool.workers().filter((worker) => worker.hasServed()).length
}

/** Returns the failing checks of all workers, or an empty list if at least one worker is ready. */
export function missingIn(pool: Pick<WorkerPool, 'workers'>): readonly string[] {
  const missing = pool.workers().map((worker) => worker.missing())
  if (missing.length === 0) return ['worker']
  return missing.some((names) => names.length === 0) ? [] : [...new Set(missing.flat())]
}

/**
 * Collects the metrics of all workers. For a worker that does not respond, uses its last report.
 */
export async function exposeAll(
  metrics: Pick<ProcessMetrics, 'snapshot'>,
  pool: Pick<WorkerPool, 'workers' | 'endedMetrics'>
): Promise<Exposition> {
  await Promise.all(pool.workers().map((worker) => worker.refresh()))
  const own = await metrics.snapshot()
  // Running and ended workers are read without an `await` in between, so that no worker counts
  // twice.
  const snapshots = [own, pool.endedMetrics(), ...pool.workers().map((worker) => worker.metrics())]
  return await exposeSnapshots(snapshots)
}
