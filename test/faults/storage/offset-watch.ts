/** Looks all the time what the group has committed: how far it is, and how long it stood still. */
import { setTimeout as pause } from 'node:timers/promises'
import { committedOffsets } from '../../support/kafka.ts'
import { onEnd } from '../../support/cleanup.ts'
import type { LedgerFile } from './ledger-file.ts'

export interface OffsetWatch {
  /** How many records the group has settled so far. */
  settled(): number
  /** The longest time in which nothing was settled. */
  longestPauseMs(): number
  /** Looks a last time and ends. */
  stop(): Promise<void>
}

export interface Watched {
  readonly groupId: string
  readonly topic: string
  readonly ledger: LedgerFile
}

const lookMs = 50

export function startOffsetWatch({ groupId, topic, ledger }: Watched): OffsetWatch {
  const committed = new Map<number, number>()
  const settling = { since: NaN, longestMs: 0 }
  const stopped = new AbortController()

  async function look(): Promise<void> {
    const found = await committedOffsets(groupId, topic)
    const moved = [...found].filter(([partition, at]) => committed.get(partition) !== Number(at))
    for (const [partition, at] of moved) {
      const offset = Number(at)
      committed.set(partition, offset)
      ledger.write({ line: 'committed', partition, offset })
    }
    if (moved.length > 0) endPause()
  }

  function endPause(): void {
    const now = performance.now()
    // Before the first there is nothing to compare with.
    if (now - settling.since > settling.longestMs) settling.longestMs = now - settling.since
    settling.since = now
  }

  async function watch(): Promise<void> {
    while (!stopped.signal.aborted) {
      // The group may be between two states; the next look follows at once.
      await look().catch(() => {})
      await pause(lookMs)
    }
  }

  const watching = watch()
  async function stop(): Promise<void> {
    if (stopped.signal.aborted) return
    stopped.abort()
    await watching
    await look()
  }

  onEnd(stop)
  return {
    settled: () => [...committed.values()].reduce((sum, offset) => sum + offset, 0),
    longestPauseMs: () => settling.longestMs,
    stop
  }
}
