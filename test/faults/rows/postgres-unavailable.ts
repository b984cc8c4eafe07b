/** Freezes Postgres. API keys that a gateway has cached keep working, and all others get a 503. */
import { pauseService, resumeService } from '../../support/services.ts'
import { expectRejection } from '../expect-rejection.ts'
import type { Fault } from '../fault.ts'

export const postgresUnavailable: Fault = {
  done: ({ seconds }) => `SIGSTOP for ${seconds} s`,
  allows: [],
  allowsForeign: ['authentication_unavailable'],
  inject: async ({ installation, gateways, last }) => {
    const { api_key: apiKey } = await installation.createTenant()
    await pauseService('postgres')
    const over = last()
    const code = 'authentication_unavailable'
    const [gateway] = gateways
    if (gateway !== undefined) await expectRejection({ gateway, apiKey, status: 503, code })
    await over
    await resumeService('postgres')
  }
}
