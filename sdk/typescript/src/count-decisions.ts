/** Counts each logged decision under exactly one result. */
import { addDrop } from './drop-report.ts'
import type { DropReason } from './drop-reason.ts'
import type { Entry } from './queue.ts'
import type { SenderState } from './sender-state.ts'

type Counters = Pick<SenderState, 'ledger' | 'report' | 'notices' | 'flushes'>

/**
 * Drop reasons that a flush counts as `failed` instead of `dropped`, because sending was attempted.
 */
const attempted = new Set<DropReason>(['refused', 'unauthorized', 'retries_exhausted', 'too_large'])

export function countSent({ ledger, flushes }: Counters, entry: Entry): void {
  ledger.sent++
  countInFlushes(flushes, entry, 'sent')
}

/**
 * Counts dropped decisions that were queued, in the ledger and in each flush that waits for them.
 */
export function countDropped(
  counters: Counters,
  entries: readonly Entry[],
  reason: DropReason
): void {
  for (const entry of entries) {
    countInFlushes(counters.flushes, entry, attempted.has(reason) ? 'failed' : 'dropped')
    counters.ledger.dropped[reason]++
    addDrop(counters.report, reason, entry.agentId)
  }
  if (entries.length > 0) counters.notices.dropped(reason, entries.length)
}

/** Counts a dropped decision that was never queued. */
export function countUnqueued(
  counters: Counters,
  reason: DropReason,
  agentId: string | undefined
): void {
  counters.ledger.dropped[reason]++
  addDrop(counters.report, reason, agentId)
  counters.notices.dropped(reason, 1)
}

function countInFlushes(
  flushes: SenderState['flushes'],
  entry: Entry,
  end: 'sent' | 'failed' | 'dropped'
): void {
  for (const flush of flushes) {
    if (entry.sequence > flush.sequence) continue
    flush[end]++
    flush.remaining--
  }
}
