/** Simulates a client-side load balancer: polls the readiness of gateways and picks a ready one. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Application } from '../support/application.ts'
import { onEnd } from '../support/cleanup.ts'
import type { Random } from './random.ts'

export interface Balancer {
  add(gateway: Application): void
  remove(gateway: Application): void
  /**
   * Returns a random ready gateway.
   * @throws if no gateway is left
   */
  pick(random: Random): Application
}

/**
 * Interval between readiness checks in milliseconds. It is much shorter than the time for which a
 * stopping gateway still serves requests.
 */
const lookMs = 100

export function createBalancer(): Balancer {
  const readiness = new Map<Application, boolean>()
  const stopped = new AbortController()
  const watching = watch()
  onEnd(async () => {
    stopped.abort()
    await watching
  })

  async function look(gateway: Application): Promise<void> {
    const isReady = await gateway.isReady().catch(() => false)
    if (readiness.has(gateway)) readiness.set(gateway, isReady)
  }

  async function watch(): Promise<void> {
    while (!stopped.signal.aborted) {
      await Promise.all([...readiness.keys()].map(look))
      await pause(lookMs)
    }
  }

  return {
    add: (gateway) => void readiness.set(gateway, true),
    remove: (gateway) => void readiness.delete(gateway),
    pick: (random) => {
      const all = [...readiness.keys()]
      const ready = all.filter((gateway) => readiness.get(gateway))
      // Like most load balancers, use an unready gateway rather than none.
      const choice = ready.length > 0 ? ready : all
      const gateway = choice[random.below(choice.length)]
      if (gateway === undefined) throw new Error('no gateway is left')
      return gateway
    }
  }
}
