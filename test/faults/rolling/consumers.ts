/** One process of storage and one of evaluation, restarted in turn when it is asked for. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Application, ApplicationName } from '../../support/application.ts'
import type { Installation } from '../../support/installation.ts'
import { startPatiently } from './start-patiently.ts'

export interface Consumers {
  /** Ends and follows one after the other until it is told to stop; the last is let start. */
  restart(until: AbortSignal): Promise<void>
  stop(): Promise<void>
  /** Exit codes of those that were told to stop. */
  readonly exitCodes: (number | null)[]
}

/** So long each works before the next one goes. */
const settleMs = 1000

export async function startConsumers(
  { environment }: Installation,
  names: readonly ApplicationName[]
): Promise<Consumers> {
  const running = new Map<ApplicationName, Application>()
  for (const name of names) running.set(name, await startPatiently(name, { environment }))
  const exitCodes: (number | null)[] = []

  async function replace(name: ApplicationName): Promise<void> {
    exitCodes.push((await running.get(name)?.stop()) ?? null)
    running.set(name, await startPatiently(name, { environment }))
    await pause(settleMs)
  }

  return {
    exitCodes,
    restart: async (until) => {
      while (!until.aborted) {
        for (const name of names) await replace(name)
      }
    },
    stop: async () => {
      for (const application of running.values()) exitCodes.push(await application.stop())
    }
  }
}
