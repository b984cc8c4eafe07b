/** The day ends under load, on the clocks of gateway and storage. */
import { waitUntil } from '../../../support/wait-until.ts'
import type { StorageFault } from '../fault.ts'
import { shiftClock } from '../shift-clock.ts'

/** Time for the processes to start, and for some traffic before. */
const aheadMs = 40_000
const dayMs = 86_400_000

/** To the midnight that was, since a broker takes nothing that is stamped far ahead. */
function offsetMs(): number {
  return -(Date.now() % dayMs) - aheadMs
}

export const midnight: StorageFault = {
  done: () => `the clocks of gateway and storage set to ${aheadMs / 1000} s before 00:00 UTC`,
  members: 2,
  environment: () => shiftClock(offsetMs()),
  inject: async ({ installation, settleMore, recover }) => {
    const isNextDay = async (): Promise<boolean> => {
      const days = await installation.database.query(
        `select distinct (received_at at time zone 'utc')::date from decisions`
      )
      return days.length > 1
    }
    await waitUntil('rows of the next day are stored', isNextDay, 2 * aheadMs)
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
