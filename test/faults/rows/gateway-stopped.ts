/** A rolling restart: each gateway is told to stop under load and replaced by a new one. */
import { turnsOf } from '../fault.ts'
import type { Fault } from '../fault.ts'

export const gatewayStopped: Fault = {
  done: ({ seconds }) => `SIGTERM, ${turnsOf(seconds)} times, each replaced before`,
  allows: [],
  gateways: 2,
  inject: async ({ balancer, gateways, ledger, startGateway, settings, acknowledgeMore }) => {
    for (let round = 0; round < turnsOf(settings.seconds); round += 1) {
      await startGateway()
      const [oldest] = gateways.splice(0, 1)
      if (oldest === undefined) throw new Error('no gateway is left')
      const code = await oldest.stop()
      balancer.remove(oldest)
      if (code !== 0) ledger.complain(`a gateway told to stop ended with code ${code}`)
      await acknowledgeMore(100)
    }
  }
}
