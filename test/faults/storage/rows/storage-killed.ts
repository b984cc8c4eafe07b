/** Kills storage processes at random moments and replaces them. */
import { setTimeout as pause } from 'node:timers/promises'
import { repetitionsOf } from '../fault.ts'
import type { StorageFault } from '../fault.ts'

const members = 3
const momentMs = 1500

export const storageKilled: StorageFault = {
  done: (settings) =>
    `SIGKILL to one or two of ${members} processes, ${repetitionsOf(settings)} times`,
  members,
  inject: async ({ settings, random, members: group, settleMore, recover }) => {
    let killed = 0
    for (let turn = 0; turn < repetitionsOf(settings); turn += 1) {
      // Do not kill a process before the group makes progress.
      await settleMore(1)
      await pause(random.below(momentMs))
      const victims = group.all.slice(0, 1 + random.below(2))
      await group.kill(victims)
      killed += victims.length
      const started = group.start(victims.length)
      await Promise.all([started, recover()])
    }
    return killed
  }
}
