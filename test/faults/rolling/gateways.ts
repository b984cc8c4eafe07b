/** Runs two gateways on fixed ports and restarts one after the other, as a deployment does. */
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../../stack/ports.ts'
import type { Application, Ports } from '../../support/application.ts'
import { startOnBusyMachine } from './start-on-busy-machine.ts'

export interface Gateways {
  readonly ports: readonly Ports[]
  /** Stops each gateway in turn and starts a replacement on the same ports. */
  restartAll(): Promise<void>
  stop(): Promise<void>
  /** Exit codes of the processes that were stopped with SIGTERM. Killed processes are omitted. */
  readonly exitCodes: (number | null)[]
  longestStopMs(): number
}

interface GatewaysOptions {
  readonly environment: NodeJS.ProcessEnv
  readonly kills: boolean
}

const count = 2
/** Pause after each replacement in milliseconds, for the load balancer to detect it. */
const settleMs = 1000

export async function startGateways({ environment, kills }: GatewaysOptions): Promise<Gateways> {
  const ports: Ports[] = []
  for (let index = 0; index < count; index += 1) ports.push([await freePort(), await freePort()])
  const start = (ports: Ports) => startOnBusyMachine('gateway', { environment, ports })
  const running = await Promise.all(ports.map(start))
  const exitCodes: (number | null)[] = []
  let longestStopMs = 0

  async function end(gateway: Application): Promise<void> {
    if (kills) return await gateway.kill()
    const begunAt = performance.now()
    exitCodes.push(await gateway.stop())
    longestStopMs = Math.max(longestStopMs, performance.now() - begunAt)
  }

  return {
    ports,
    exitCodes,
    longestStopMs: () => longestStopMs,
    restartAll: async () => {
      for (const [index, gateway] of [...running].entries()) {
        await end(gateway)
        running[index] = await start(ports[index] as Ports)
        await pause(settleMs)
      }
    },
    stop: async () => void (await Promise.all(running.map((gateway) => gateway.kill())))
  }
}
