/** Freezes Postgres while connections are open; in the long form, for longer than the statement
 * timeout.
 */
import { pauseService, resumeService } from '../../../support/services.ts'
import type { StorageFault } from '../fault.ts'

/**
 * The freeze lasts this multiple of the configured fault duration. In the long form, that is longer
 * than the statement timeout of 30 seconds.
 */
const times = 2

export const postgresFrozen: StorageFault = {
  done: ({ seconds }) => `SIGSTOP for ${times * seconds} s`,
  inject: async ({ last, recover }) => {
    await pauseService('postgres')
    await last(times)
    await resumeService('postgres')
    await recover()
    return 1
  }
}
