/** Polls the readiness of gateways for a load balancer. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Ports } from '../application.ts'
import { checkFalls, checkMs } from './balancer.ts'

export interface Readiness {
  /** Returns the port of the next ready gateway in round-robin order; null if none is ready. */
  pick(): number | null
  close(): Promise<void>
}

const answerMs = 1000

export async function watchReadiness(gateways: readonly Ports[]): Promise<Readiness> {
  const falls = new Map<number, number>(gateways.map(([port]) => [port, checkFalls]))
  const closing = new AbortController()
  let turn = 0

  async function look([port, managementPort]: Ports): Promise<void> {
    const url = `http://127.0.0.1:${managementPort}/readyz`
    const isReady = await fetch(url, { signal: AbortSignal.timeout(answerMs) }).then(
      async (answer) => {
        await answer.arrayBuffer()
        return answer.ok
      },
      () => false
    )
    falls.set(port, isReady ? 0 : (falls.get(port) ?? 0) + 1)
  }

  // Each gateway has its own loop, so that a slow response does not delay checks of other gateways.
  async function watch(ports: Ports): Promise<void> {
    while (!closing.signal.aborted) {
      await look(ports)
      await pause(checkMs, undefined, { signal: closing.signal }).catch(() => {})
    }
  }

  await Promise.all(gateways.map(look))
  const watching = Promise.all(gateways.map(watch))
  return {
    pick: () => {
      const up = gateways.filter(([port]) => (falls.get(port) ?? 0) < checkFalls)
      turn += 1
      return up[turn % up.length]?.[0] ?? null
    },
    close: async () => {
      closing.abort()
      await watching
    }
  }
}
