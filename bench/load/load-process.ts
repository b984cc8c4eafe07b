/** Starts a load process and reuses it for every run, so that its code stays JIT-compiled. */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { LoadOrder, LoadReport } from './load.ts'

export interface LoadProcess<Order, Report> {
  readonly pid: number
  /**
   * Runs the ordered job and resolves with its report. Jobs must not overlap.
   * @throws if the process exits before it reports
   */
  run(order: Order): Promise<Report>
  stop(): Promise<void>
}

/** Load process that sends POST requests. Every row except `broker` uses it. */
export type Load = LoadProcess<LoadOrder, LoadReport>

interface LoadSettings {
  readonly signal: AbortSignal
  readonly environment?: NodeJS.ProcessEnv
  readonly args?: readonly string[]
}

/** Suppresses a harmless Node 24 warning about timers that kafkajs sets in the past. */
const execArgv = ['--disable-warning=TimeoutNegativeWarning']

/**
 * Starts `program` in a separate process, so that its CPU time is not measured. The program must
 * call serveOrders.
 * @param program the path of the file, relative to bench/
 */
export function startLoad<Order extends object, Report>(
  program: string,
  { signal, environment = process.env, args = [] }: LoadSettings
): LoadProcess<Order, Report> {
  const file = fileURLToPath(new URL(`../${program}`, import.meta.url))
  const child = fork(file, args, { execArgv, signal, env: environment })
  // Ignores the error that an abort emits. The abort also ends the process, which makes a pending
  // `run` reject.
  child.on('error', () => {})
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))

  return {
    pid: child.pid ?? 0,
    run: async (order) => {
      const report = new Promise<Report>((resolve) =>
        child.once('message', (message) => resolve(message as Report))
      )
      if (child.connected) child.send(order)
      const lost = ended.then(() =>
        Promise.reject(new Error('the load process exited before its report'))
      )
      return await Promise.race([report, lost])
    },
    stop: async () => {
      child.kill()
      await ended
    }
  }
}
