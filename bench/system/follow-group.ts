/** Follows the lag of a consumer group until it has caught up. */
import { waitUntil } from '../../stack/wait-until.ts'
import type { ProgressOrder, ProgressReport } from './group-progress.ts'
import { startLoad } from '../load/load-process.ts'
import type { Bench } from '../row.ts'

export interface FollowedGroup {
  /** Returns the current lag by partition. */
  readProgress(): Promise<ProgressReport>
  /** Resolves when the lag is 0. */
  catchUp(): Promise<void>
}

const catchUpTimeoutMs = 600_000

export function followGroup(
  { environment, signal, onStop }: Bench,
  followed: ProgressOrder
): FollowedGroup {
  const progress = startLoad<ProgressOrder, ProgressReport>('system/group-progress.ts', {
    environment,
    signal
  })
  onStop(() => progress.stop())
  const readProgress = () => progress.run(followed)
  const catchUp = (): Promise<void> =>
    waitUntil({
      what: `${followed.groupId} did not catch up with ${followed.topic}`,
      timeoutMs: catchUpTimeoutMs,
      probe: async () => (await readProgress()).every(({ lag }) => lag === 0),
      signal
    })
  return { readProgress, catchUp }
}
