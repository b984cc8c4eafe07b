/** The primary: it takes no request, but keeps the workers, and answers the management port. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Lifecycle } from '../../platform/process/lifecycle.ts'
import type { Logger } from '../../platform/telemetry/logger.ts'
import { startManagement } from '../../platform/telemetry/management.ts'
import { createMetrics, exposeTogether } from '../../platform/telemetry/metrics.ts'
import type { Exposition, ProcessMetrics } from '../../platform/telemetry/metrics.ts'
import { measureProcess } from '../../platform/telemetry/process-metrics.ts'
import type { GatewayConfig } from '../config.ts'
import { createFork } from './fork.ts'
import type { WorkerPool } from './worker-pool.ts'
import { createWorkerPool } from './worker-pool.ts'

export interface PrimaryContext {
  readonly config: GatewayConfig
  readonly logger: Logger
  readonly lifecycle: Lifecycle
}

export function createPrimary({ config, logger, lifecycle }: PrimaryContext) {
  const metrics = createMetrics()
  const count = config.GATEWAY_WORKERS
  const pool = createWorkerPool({
    ...{ count, metrics, logger },
    fork: createFork(count),
    stopping: lifecycle.stopping,
    random: Math.random
  })

  return {
    hopeless: pool.hopeless,
    start: async (): Promise<void> => {
      measureProcess(metrics, () => false)
      metrics.onLook(() => metrics.set('sluice_workers', {}, serving(pool)))
      const management = await startManagement({
        host: config.MANAGEMENT_HOST,
        port: config.MANAGEMENT_PORT,
        metrics: { expose: () => exposeAll(metrics, pool) },
        notReady: () => (lifecycle.isStopping() ? ['stopping'] : missingIn(pool)),
        logger
      })
      lifecycle.onStop('management port', () => management.close())
      lifecycle.onStop('workers left over', () => Promise.resolve(pool.kill()))
      lifecycle.onStop('workers', () => pool.stop())
      lifecycle.onStop('readiness', () => {
        pool.leave()
        return sleep(config.SHUTDOWN_UNREADY_MS)
      })
      pool.start()
      logger.info({ workers: count, management_port: management.port }, 'workers start')
    }
  }
}

function serving(pool: WorkerPool): number {
  return pool.workers().filter((worker) => worker.hasServed()).length
}

/** One ready worker is enough; if there is none, what any of them misses. */
export function missingIn(pool: Pick<WorkerPool, 'workers'>): readonly string[] {
  const missing = pool.workers().map((worker) => worker.missing())
  if (missing.length === 0) return ['worker']
  return missing.some((names) => names.length === 0) ? [] : [...new Set(missing.flat())]
}

/** A worker that does not answer is shown as it was. */
export async function exposeAll(
  metrics: Pick<ProcessMetrics, 'snapshot'>,
  pool: Pick<WorkerPool, 'workers' | 'remains'>
): Promise<Exposition> {
  await Promise.all(pool.workers().map((worker) => worker.refresh()))
  const own = await metrics.snapshot()
  // Taken in one breath: a worker is among the living or among the remains, never in both.
  const snapshots = [own, pool.remains(), ...pool.workers().map((worker) => worker.metrics())]
  return await exposeTogether(snapshots)
}
