/** The database server dies in the middle of transactions, and comes back with its disk. */
import { killService, reviveService } from '../../../support/services.ts'
import { waitUntil } from '../../../support/wait-until.ts'
import { turnsOf } from '../fault.ts'
import type { StorageFault } from '../fault.ts'

const reviveMs = 60_000

/** A third as often as a process of ours: it stays away for a while each time. */
function roundsOf(settings: { rounds: number }): number {
  return Math.ceil(turnsOf(settings) / 3)
}

export const postgresKilled: StorageFault = {
  done: (settings) => {
    const [seconds, rounds] = [settings.seconds / 4, roundsOf(settings)]
    return `SIGKILL, away for ${seconds} s, started again with its disk, ${rounds} times`
  },
  members: 2,
  inject: async ({ settings, settleMore, last, recover }) => {
    for (let round = 0; round < roundsOf(settings); round += 1) {
      await settleMore(1)
      await killService('postgres')
      await last(1 / 4)
      // Its own processes may outlive it for a moment, and it does not start beside them.
      const revive = () => reviveService('postgres').then(() => true)
      await waitUntil('Postgres is back', revive, reviveMs)
      await recover()
    }
    return roundsOf(settings)
  }
}
