/** A gateway dies in the middle of its requests; another one is there, and a third takes its place.
 */
import { turnsOf } from '../fault.ts'
import type { Fault } from '../fault.ts'

export const gatewayKilled: Fault = {
  done: ({ seconds }) => `SIGKILL, ${turnsOf(seconds)} times, each replaced after`,
  allows: ['broken', 'not_connected'],
  // Callers who find nobody at its port are rare: the balancer soon looks elsewhere.
  shows: ['broken'],
  gateways: 2,
  inject: async ({ balancer, gateways, startGateway, settings, acknowledgeMore }) => {
    for (let round = 0; round < turnsOf(settings.seconds); round += 1) {
      const [oldest] = gateways.splice(0, 1)
      if (oldest === undefined) throw new Error('no gateway is left')
      await oldest.kill()
      await acknowledgeMore(100)
      balancer.remove(oldest)
      await startGateway()
    }
  }
}
