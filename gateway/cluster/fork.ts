/** Workers as processes of node:cluster: its primary holds the port and deals connections. */
import cluster from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'
import type { FromPrimary, FromWorker } from './messages.ts'
import { workerHeapArgs } from './worker-heap.ts'

export interface WorkerEnd {
  /** Null when a signal ended it. */
  readonly exitCode: number | null
  readonly signal: string | null
}

export interface WorkerProcess {
  readonly pid: number
  send(message: FromPrimary): void
  onMessage(hear: (message: FromWorker) => void): void
  kill(): void
  /** Resolves when it is gone and what it said was heard, or soon after it is gone. */
  readonly ended: Promise<WorkerEnd>
}

export type Fork = () => WorkerProcess

/** What a worker said last is worth so long a wait, and its place is empty meanwhile. */
const lastWordsMs = 2000

/** Starts this very program again, as one of so many workers. */
export function createFork(workers: number): Fork {
  // The primary keeps the listening socket: a connection waits for whichever worker takes it, and
  // none is reset because a worker ends.
  cluster.schedulingPolicy = cluster.SCHED_RR
  const { execArgv, env } = process
  const limitBytes = getHeapStatistics().heap_size_limit
  const heap = { limitBytes, execArgv, nodeOptions: env['NODE_OPTIONS'] ?? '' }
  cluster.setupPrimary({ execArgv: [...execArgv, ...workerHeapArgs(workers, heap)] })

  return function fork() {
    const worker = cluster.fork()
    const { promise: exited, resolve } = Promise.withResolvers<WorkerEnd>()
    const disconnected = new Promise((hear) => worker.once('disconnect', hear))
    worker.once('exit', (exitCode: number | null, signal: string | null) => {
      resolve({ exitCode, signal })
    })
    const { promise: failed, resolve: fail } = Promise.withResolvers<WorkerEnd>()
    worker.once('error', () => fail({ exitCode: null, signal: null }))
    return {
      pid: worker.process.pid ?? 0,
      send: (message) => {
        // Without the callback a worker that is just ending would be an error nobody hears.
        if (worker.isConnected()) worker.send(message, () => {})
      },
      onMessage: (hear) => void worker.on('message', hear),
      kill: () => void worker.process.kill('SIGKILL'),
      ended: Promise.race([failed, exited.then((end) => heardOut(end, disconnected))])
    }
  }
}

async function heardOut(end: WorkerEnd, disconnected: Promise<unknown>): Promise<WorkerEnd> {
  await Promise.race([disconnected, sleep(lastWordsMs, undefined, { ref: false })])
  return end
}
