/** The load as the bench sees it: one process for the whole run, so that it is warm, too. */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { LoadOrder, LoadReport } from './load.ts'

export interface Load {
  /** One order at a time. @throws when the process ends before its report. */
  run(order: LoadOrder): Promise<LoadReport>
  stop(): Promise<void>
}

/** A process of its own, so that its work is not counted as that of the system it drives. */
export function startLoad(signal: AbortSignal): Load {
  const child = fork(fileURLToPath(new URL('load.ts', import.meta.url)), { execArgv: [], signal })
  // An abort also rejects whatever waits for a report.
  child.on('error', () => {})
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))

  return {
    run: async (order) => {
      const report = new Promise<LoadReport>((resolve) =>
        child.once('message', (message) => resolve(message as LoadReport))
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
