/** How far a consumer group is behind, and when it no longer is. */
import { waitUntil } from '../../stack/wait-until.ts'
import type { ProgressOrder, ProgressReport } from './group-progress.ts'
import { startLoad } from '../load/load-process.ts'
import type { Bench } from '../row.ts'

export interface FollowedGroup {
  /** Messages that wait now, by partition. */
  readProgress(topic: string): Promise<ProgressReport>
  /** Resolves when nothing waits any more. */
  catchUp(topic: string): Promise<void>
}

const catchUpTimeoutMs = 300_000

export function followGroup(
  { environment, signal, onStop }: Bench,
  groupId: string
): FollowedGroup {
  const progress = startLoad<ProgressOrder, ProgressReport>('system/group-progress.ts', {
    environment,
    signal
  })
  onStop(() => progress.stop())
  const readProgress = (topic: string) => progress.run({ groupId, topic })
  const catchUp = (topic: string): Promise<void> =>
    waitUntil({
      what: `${groupId} did not catch up with ${topic}`,
      timeoutMs: catchUpTimeoutMs,
      probe: async () => (await readProgress(topic)).every(({ lag }) => lag === 0),
      signal
    })
  return { readProgress, catchUp }
}
