/** Every decision that was logged ends in exactly one of these ways, and is counted here. */
import { addDrop } from './drop-report.ts'
import type { DropReason } from './drop-reason.ts'
import type { Entry } from './queue.ts'
import type { SenderState } from './sender-state.ts'

type Books = Pick<SenderState, 'ledger' | 'report' | 'notices' | 'flushes'>

/** Reasons that only a gateway can give. */
const offered = new Set<DropReason>(['refused', 'unauthorized', 'retries_exhausted', 'too_large'])

export function countSent({ ledger, flushes }: Books, entry: Entry): void {
  ledger.sent++
  countInFlushes(flushes, entry, 'sent')
}

/** Counts entries that were in the queue and are in it no more. */
export function countDropped(books: Books, entries: readonly Entry[], reason: DropReason): void {
  for (const entry of entries) {
    countInFlushes(books.flushes, entry, offered.has(reason) ? 'failed' : 'dropped')
    books.ledger.dropped[reason]++
    addDrop(books.report, reason, entry.agentId)
  }
  if (entries.length > 0) books.notices.dropped(reason, entries.length)
}

/** Counts a decision that never came into the queue. */
export function countUnqueued(books: Books, reason: DropReason, agentId: string | undefined): void {
  books.ledger.dropped[reason]++
  addDrop(books.report, reason, agentId)
  books.notices.dropped(reason, 1)
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
