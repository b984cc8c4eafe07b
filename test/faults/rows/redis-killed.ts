/** Kills Redis and restarts it empty. In between, each gateway applies rate limits on its own. */
import { killService, reviveService } from '../../support/services.ts'
import { waitUntilLocal } from '../wait-until-local.ts'
import type { Fault } from '../fault.ts'

export const redisKilled: Fault = {
  done: ({ seconds }) => `SIGKILL, stopped for ${seconds} s, started again empty`,
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
