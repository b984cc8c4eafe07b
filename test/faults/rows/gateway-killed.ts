/** Kills one of two gateways during requests, and replaces it. */
import { repetitionsOf } from '../fault.ts'
import type { Fault } from '../fault.ts'

export const gatewayKilled: Fault = {
  done: ({ seconds }) => `SIGKILL, ${repetitionsOf(seconds)} times, each replaced after`,
  allows: ['broken', 'not_connected'],
  // `not_connected` is optional, because the balancer soon detects the dead gateway.
  shows: ['broken'],
  gateways: 2,
  inject: async ({ balancer, gateways, startGateway, settings, acknowledgeMore }) => {
    for (let round = 0; round < repetitionsOf(settings.seconds); round += 1) {
      const [oldest] = gateways.splice(0, 1)
      if (oldest === undefined) throw new Error('no gateway is left')
      await oldest.kill()
      await acknowledgeMore(100)
      balancer.remove(oldest)
      await startGateway()
    }
  }
}
