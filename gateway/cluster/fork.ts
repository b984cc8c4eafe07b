/** Starts workers with node:cluster. The primary owns the port and distributes connections. */
import cluster from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'
import type { FromPrimary, FromWorker } from './messages.ts'
import { workerHeapArgs } from './worker-heap.ts'

export interface WorkerEnd {
  /** Null if a signal ended the worker or if it could not be started. */
  readonly exitCode: number | null
  readonly signal: string | null
}

export interface WorkerProcess {
  readonly pid: number
  send(message: FromPrimary): void
  onMessage(listener: (message: FromWorker) => void): void
  kill(): void
  /**
   * Resolves when the worker has exited and its last messages have arrived. Waits at most
   * `disconnectWaitMs` for the messages.
   */
  readonly ended: Promise<WorkerEnd>
}

export type Fork = () => WorkerProcess

/** Maximum time in milliseconds to wait for an exited worker's last messages. */
const disconnectWaitMs = 2000

/**
 * Creates a function that starts this program again as a worker.
 * @param workers the total number of workers
 */
export function createFork(workers: number): Fork {
  // The primary keeps the listening socket, so that connections wait for a free worker and are not
  // reset when a worker exits.
  cluster.schedulingPolicy = cluster.SCHED_RR
  const { execArgv, env } = process
  const limitBytes = getHeapStatistics().heap_size_limit
  const heap = { limitBytes, execArgv, nodeOptions: env['NODE_OPTIONS'] ?? '' }
  cluster.setupPrimary({ execArgv: [...execArgv, ...workerHeapArgs(workers, heap)] })

  return function fork() {
    const worker = cluster.fork()
    const { promise: exited, resolve } = Promise.withResolvers<WorkerEnd>()
    const disconnected = new Promise((listener) => worker.once('disconnect', listener))
    worker.once('exit', (exitCode: number | null, signal: string | null) => {
      resolve({ exitCode, signal })
    })
    const { promise: failed, resolve: fail } = Promise.withResolvers<WorkerEnd>()
    worker.once('error', () => fail({ exitCode: null, signal: null }))
    return {
      pid: worker.process.pid ?? 0,
      send: (message) => {
        // Without the callback, sending to a worker that is exiting would emit an unhandled error.
        if (worker.isConnected()) worker.send(message, () => {})
      },
      onMessage: (listener) => void worker.on('message', listener),
      kill: () => void worker.process.kill('SIGKILL'),
      ended: Promise.race([failed, exited.then((end) => afterDisconnect(end, disconnected))])
    }
  }
}

async function afterDisconnect(end: WorkerEnd, disconnected: Promise<unknown>): Promise<WorkerEnd> {
  await Promise.race([disconnected, sleep(disconnectWaitMs, undefined, { ref: false })])
  return end
}
