/** Replaces each gateway in turn under load, as a rolling restart does. */
import { repetitionsOf } from '../fault.ts'
import type { Fault } from '../fault.ts'

export const gatewayStopped: Fault = {
  done: ({ seconds }) => `SIGTERM, ${repetitionsOf(seconds)} times, each replaced before`,
  allows: [],
  gateways: 2,
  inject: async ({ balancer, gateways, ledger, startGateway, settings, acknowledgeMore }) => {
    for (let round = 0; round < repetitionsOf(settings.seconds); round += 1) {
      await startGateway()
      const [oldest] = gateways.splice(0, 1)
      if (oldest === undefined) throw new Error('no gateway is left')
      const code = await oldest.stop()
      balancer.remove(oldest)
      if (code !== 0) ledger.complain(`a stopped gateway exited with code ${code}`)
      await acknowledgeMore(100)
    }
  }
}
