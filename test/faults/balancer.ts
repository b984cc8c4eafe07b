/** A balancer within the clients: asks each gateway whether it is ready, and sends where it is. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Application } from '../support/application.ts'
import { onEnd } from '../support/cleanup.ts'
import type { Random } from './random.ts'

export interface Balancer {
  add(gateway: Application): void
  remove(gateway: Application): void
  /** The gateway that the next request goes to. @throws when there is none at all. */
  pick(random: Random): Application
}

/** Well within the second that a gateway stays up after it has said that it is not ready. */
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
      // As balancers do: where none is ready, one that may answer is better than none.
      const choice = ready.length > 0 ? ready : all
      const gateway = choice[random.below(choice.length)]
      if (gateway === undefined) throw new Error('there is no gateway to send to')
      return gateway
    }
  }
}
