/** The day ends under load, on the clocks of gateway and storage. */
import { setTimeout as pause } from 'node:timers/promises'
import { shiftClock } from '../shift-clock.ts'
import type { StorageFault } from '../fault.ts'

/** Time to start, and for some traffic before. */
const aheadMs = 15_000
const dayMs = 86_400_000

/** To the midnight that was, since a broker takes nothing that is stamped far ahead. */
function offsetMs(): number {
  const now = Date.now()
  return now - (now % dayMs) - aheadMs - now
}

export const midnight: StorageFault = {
  done: () => 'the clocks of gateway and storage set to 15 s before 00:00 UTC',
  members: 2,
  environment: () => shiftClock(offsetMs()),
  inject: async ({ settleMore, recover }) => {
    await pause(aheadMs)
    await settleMore(500)
    await recover()
    return 1
  },
  doubts: ({ days, acrossDays, rowsInDefault }) => {
    if (days.length !== 2) return `rows of ${days.length} days, not of 2`
    if (acrossDays === 0) return 'no decision was delivered on both sides of midnight'
    return rowsInDefault === 0 ? null : `${rowsInDefault} rows lie in the default partition`
  }
}
