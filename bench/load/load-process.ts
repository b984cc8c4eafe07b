/** The load as the bench sees it: one process for the whole run, so that it is warm, too. */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { LoadOrder, LoadReport } from './load.ts'

export interface LoadProcess<Order, Report> {
  readonly pid: number
  /** One order at a time. @throws when the process ends before its report. */
  run(order: Order): Promise<Report>
  stop(): Promise<void>
}

/** Posts over HTTP, as all rows but the broker's own are loaded. */
export type Load = LoadProcess<LoadOrder, LoadReport>

export interface LoadSettings {
  readonly signal: AbortSignal
  readonly environment?: NodeJS.ProcessEnv
  readonly args?: readonly string[]
}

/** kafkajs asks for timers in the past, which does no harm; Node 24 complains about each. */
const execArgv = ['--disable-warning=TimeoutNegativeWarning']

/**
 * Starts `program`, the path below bench/ of a file that calls serveOrders. It runs in its own
 * process, so that its CPU time is not counted for the system under test.
 */
export function startLoad<Order extends object, Report>(
  program: string,
  { signal, environment = process.env, args = [] }: LoadSettings
): LoadProcess<Order, Report> {
  const file = fileURLToPath(new URL(`../${program}`, import.meta.url))
  const child = fork(file, args, { execArgv, signal, env: environment })
  // An abort also rejects whatever waits for a report.
  child.on('error', () => {})
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))

  return {
    pid: child.pid ?? 0,
    run: async (order) => {
      const report = new Promise<Report>((resolve) =>
        child.once('message', (message) => resolve(message as Report))
      )
      if (child.connected) child.send(order)
      const lost = ended.then(() => Promise.reject(new Error('the load ended before its report')))
      return await Promise.race([report, lost])
    },
    stop: async () => {
      child.kill()
      await ended
    }
  }
}
