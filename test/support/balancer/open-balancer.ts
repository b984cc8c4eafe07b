/** A balancer that listens: its address, what failed behind it, and its end with the test's. */
import type { AddressInfo, Server } from 'node:net'
import { onEnd } from '../cleanup.ts'
import type { Balancer } from './balancer.ts'
import type { Readiness } from './watch-readiness.ts'

export interface BalancerParts {
  readonly server: Server
  readonly readiness: Readiness
  readonly failures: readonly string[]
  /** Ends the connections that are open, once no new ones are taken. */
  readonly cut: () => void
}

export async function openBalancer(parts: BalancerParts): Promise<Balancer> {
  const { server, readiness, failures, cut } = parts
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve))
    cut()
    await Promise.all([closed, readiness.close()])
  }
  onEnd(close)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    failures: () => failures,
    close
  }
}
