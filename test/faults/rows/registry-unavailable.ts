/** Freezes the schema registry. Running gateways keep working, and a new one does not become ready.
 */
import { pauseService, resumeService } from '../../support/services.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { expectRejection } from '../expect-rejection.ts'
import type { Fault } from '../fault.ts'

export const registryUnavailable: Fault = {
  done: ({ seconds }) => `SIGSTOP for ${seconds} s, and a gateway started meanwhile`,
  allows: [],
  inject: async ({ last, ledger, startCold, keys }) => {
    await pauseService('registry')
    const over = last()
    const cold = await startCold()
    const rejection = { gateway: cold, apiKey: keys.good, status: 503, code: 'schema_unavailable' }
    await waitUntil('the cold gateway rejects', () => expectRejection(rejection))
    const ready = await fetch(`${cold.managementUrl}/readyz`)
    const missing = await ready.text()
    if (ready.status !== 503 || !missing.includes('decision schema')) {
      ledger.complain(`a gateway without its schema responds ${ready.status} ${missing}`)
    }
    await over
    await resumeService('registry')
    await cold.waitUntilReady()
    await cold.stop()
  }
}
