/** Adds and removes storage processes under load, so that partitions move between them. */
import { waitUntil } from '../../../support/wait-until.ts'
import type { Application } from '../../../support/application.ts'
import { repetitionsOf } from '../fault.ts'
import type { StorageFault } from '../fault.ts'

const more = 2
const settledMs = 60_000

function roundsOf(settings: { rounds: number }): number {
  return Math.ceil(repetitionsOf(settings) / 3)
}

export const rebalanced: StorageFault = {
  done: (settings) => `two members more, the two oldest stopped, ${roundsOf(settings)} times`,
  inject: async ({ members: group, settings, recover }) => {
    for (let round = 0; round < roundsOf(settings); round += 1) {
      const oldest = [...group.all]
      const started = await group.start(more)
      await recover()
      await Promise.all(started.map(waitUntilSettled))
      await group.stop([...oldest, ...started.slice(1)])
      await recover()
    }
    return 2 * roundsOf(settings)
  }
}

/** Waits until a process has consumed a record. An idle process would prove nothing. */
async function waitUntilSettled(member: Application): Promise<void> {
  const hasSettled = async (): Promise<boolean> =>
    /^sluice_consumed_total\{.*\} [1-9]/m.test(await member.metrics())
  await waitUntil('every member has settled something', hasSettled, settledMs)
}
