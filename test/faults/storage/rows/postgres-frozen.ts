/** The database server stands still with its connections open, longer than a statement may take. */
import { pauseService, resumeService } from '../../../support/services.ts'
import type { StorageFault } from '../fault.ts'

/** In the long form, beyond the 30 seconds after which a statement is given up. */
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
