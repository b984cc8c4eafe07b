/** Starts a load balancer on a free port, and closes it after the test file. */
import type { AddressInfo, Server } from 'node:net'
import { onEnd } from '../cleanup.ts'
import type { Balancer } from './balancer.ts'
import type { Readiness } from './watch-readiness.ts'

interface BalancerParts {
  readonly server: Server
  readonly readiness: Readiness
  readonly failures: readonly string[]
  /** Closes the open connections. Called when the server has stopped listening. */
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
