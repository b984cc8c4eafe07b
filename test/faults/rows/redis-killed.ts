/** Redis dies and comes back empty: limits are applied by each gateway alone meanwhile. */
import { killService, reviveService } from '../../support/services.ts'
import { waitUntilLocal } from '../wait-until-local.ts'
import type { Fault } from '../fault.ts'

export const redisKilled: Fault = {
  done: ({ seconds }) => `SIGKILL, away for ${seconds} s, started again empty`,
  allows: [],
  inject: async ({ gateways, last }) => {
    await killService('redis')
    const over = last()
    await waitUntilLocal(gateways, true)
    await over
    await reviveService('redis')
    await waitUntilLocal(gateways, false)
  }
}
