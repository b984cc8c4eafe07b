/** Shifts the clocks of the gateway and storage so that they pass midnight UTC under load. */
import { waitUntil } from '../../../support/wait-until.ts'
import type { StorageFault } from '../fault.ts'
import { shiftClock } from '../shift-clock.ts'

/**
 * Time between startup and midnight in milliseconds, long enough to start the processes and store
 * decisions.
 */
const aheadMs = 40_000
const dayMs = 86_400_000

/**
 * Returns the clock offset in milliseconds that sets the clock to just before the last midnight.
 * The clock cannot be set to the next midnight, because the broker rejects records with timestamps
 * more than an hour in the future.
 */
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
  missingEffect: ({ days, acrossDays, rowsInDefault }) => {
    if (days.length !== 2) return `rows of ${days.length} days, not of 2`
    if (acrossDays === 0) return 'no decision was delivered on both sides of midnight'
    return rowsInDefault === 0 ? null : `${rowsInDefault} rows are in the default partition`
  }
}
