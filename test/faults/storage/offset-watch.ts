/** Polls the committed offsets of a consumer group, and records its progress and its longest pause.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { committedOffsets } from '../../support/kafka.ts'
import { onEnd } from '../../support/cleanup.ts'
import type { LedgerFile } from './ledger-file.ts'

export interface OffsetWatch {
  /** Returns the number of records committed so far. */
  settled(): number
  /** Returns the longest time without progress. */
  longestPauseMs(): number
  /** Polls one last time, then stops. */
  stop(): Promise<void>
}

interface Watched {
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
    // `since` is NaN before the first commit, so the first one does not end a pause.
    if (now - settling.since > settling.longestMs) settling.longestMs = now - settling.since
    settling.since = now
  }

  async function watch(): Promise<void> {
    while (!stopped.signal.aborted) {
      // Polling can fail during a rebalance. The next poll follows soon.
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
