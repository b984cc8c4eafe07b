/** Postgres stands still: keys that are known go on, and an unknown one is not called wrong. */
import { pauseService, resumeService } from '../../support/services.ts'
import { expectRefusal } from '../expect-refusal.ts'
import type { Fault } from '../fault.ts'

export const postgresAway: Fault = {
  done: ({ seconds }) => `SIGSTOP for ${seconds} s`,
  allows: [],
  allowsForeign: ['authentication_unavailable'],
  inject: async ({ installation, gateways, last }) => {
    const { api_key: apiKey } = await installation.createTenant()
    await pauseService('postgres')
    const over = last()
    const code = 'authentication_unavailable'
    const [gateway] = gateways
    if (gateway !== undefined) await expectRefusal({ gateway, apiKey, status: 503, code })
    await over
    await resumeService('postgres')
  }
}
