/** Freezes Redis. No request may fail, and the gateways must apply rate limits without Redis. */
import { pauseService, resumeService } from '../../support/services.ts'
import { waitUntilLocal } from '../wait-until-local.ts'
import type { Fault } from '../fault.ts'

export const redisFrozen: Fault = {
  done: ({ seconds }) => `SIGSTOP for ${seconds} s`,
  allows: [],
  inject: async ({ gateways, last }) => {
    await pauseService('redis')
    const over = last()
    await waitUntilLocal(gateways, true)
    await over
    await resumeService('redis')
    await waitUntilLocal(gateways, false)
  }
}
