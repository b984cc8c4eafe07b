/** Freezes the broker while clients send more than the gateway may hold in memory. */
import { pauseService, resumeService } from '../../support/services.ts'
import type { Fault } from '../fault.ts'

const burst = 14
const burstBytes = 1024 * 1024

export const brokerFrozen: Fault = {
  done: ({ seconds }) => `SIGSTOP for ${seconds} s, and more bytes than may wait`,
  allows: ['log_unavailable', 'overloaded'],
  shows: ['log_unavailable', 'overloaded'],
  inject: async ({ last, load }) => {
    await pauseService('kafka')
    // Some of these decisions wait for the broker; the gateway rejects the others immediately.
    const bursting = load.burst(burst, burstBytes)
    await last()
    await resumeService('kafka')
    await bursting
  }
}
