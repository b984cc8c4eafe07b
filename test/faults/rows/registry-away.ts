/** The schema registry stands still: who runs goes on, and who starts waits and says so. */
import { pauseService, resumeService } from '../../support/services.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { expectRefusal } from '../expect-refusal.ts'
import type { Fault } from '../fault.ts'

export const registryAway: Fault = {
  done: ({ seconds }) => `SIGSTOP for ${seconds} s, and a gateway started meanwhile`,
  allows: [],
  inject: async ({ last, ledger, startCold, keys }) => {
    await pauseService('registry')
    const over = last()
    const cold = await startCold()
    const refusal = { gateway: cold, apiKey: keys.good, status: 503, code: 'schema_unavailable' }
    await waitUntil('the cold gateway refuses', () => expectRefusal(refusal))
    const ready = await fetch(`${cold.managementUrl}/readyz`)
    const missing = await ready.text()
    if (ready.status !== 503 || !missing.includes('decision schema')) {
      ledger.complain(`a gateway without its schema says ${ready.status} ${missing}`)
    }
    await over
    await resumeService('registry')
    await cold.waitUntilReady()
    await cold.stop()
  }
}
