/** Kills Postgres during transactions and restarts it with its data. */
import { killService, reviveService } from '../../../support/services.ts'
import { waitUntil } from '../../../support/wait-until.ts'
import { repetitionsOf } from '../fault.ts'
import type { StorageFault } from '../fault.ts'

const reviveMs = 60_000

/** A third of the usual injections, because each one includes downtime. */
function roundsOf(settings: { rounds: number }): number {
  return Math.ceil(repetitionsOf(settings) / 3)
}

export const postgresKilled: StorageFault = {
  done: (settings) => {
    const [seconds, rounds] = [settings.seconds / 4, roundsOf(settings)]
    return `SIGKILL, stopped for ${seconds} s, started again with its disk, ${rounds} times`
  },
  members: 2,
  inject: async ({ settings, settleMore, last, recover }) => {
    for (let round = 0; round < roundsOf(settings); round += 1) {
      await settleMore(1)
      await killService('postgres')
      await last(1 / 4)
      // Retry, because child processes of the killed server can briefly prevent a restart.
      const revive = () => reviveService('postgres').then(() => true)
      await waitUntil('Postgres runs again', revive, reviveMs)
      await recover()
    }
    return roundsOf(settings)
  }
}
