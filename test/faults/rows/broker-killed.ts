/** Kills the broker and restarts it later with its data. */
import { killService, reviveService } from '../../support/services.ts'
import type { Fault } from '../fault.ts'

export const brokerKilled: Fault = {
  done: ({ seconds }) => `SIGKILL, stopped for ${seconds} s, started again with its disk`,
  allows: ['log_unavailable', 'overloaded'],
  shows: ['log_unavailable'],
  inject: async ({ last }) => {
    await killService('kafka')
    await last()
    await reviveService('kafka')
  }
}
