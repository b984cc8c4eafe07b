/** Runs one process of each consumer application and restarts the processes in turn. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Application, ApplicationName } from '../../support/application.ts'
import type { Installation } from '../../support/installation.ts'
import { startOnBusyMachine } from './start-on-busy-machine.ts'

export interface Consumers {
  /** Restarts the processes in turn until aborted. A restart in progress is completed. */
  restart(until: AbortSignal): Promise<void>
  stop(): Promise<void>
  /** Exit codes of all processes stopped so far. */
  readonly exitCodes: (number | null)[]
}

/** Pause between restarts in milliseconds. */
const settleMs = 1000

export async function startConsumers(
  { environment }: Installation,
  names: readonly ApplicationName[]
): Promise<Consumers> {
  const running = new Map<ApplicationName, Application>()
  for (const name of names) running.set(name, await startOnBusyMachine(name, { environment }))
  const exitCodes: (number | null)[] = []

  async function replace(name: ApplicationName): Promise<void> {
    exitCodes.push((await running.get(name)?.stop()) ?? null)
    running.set(name, await startOnBusyMachine(name, { environment }))
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
