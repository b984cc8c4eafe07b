/** One who listens: what of the news is for him, in the order in which he hears it. */
import { createEventQueue } from './event-queue.ts'
import type { EventQueue } from './event-queue.ts'
import { isAbout, isWanted } from './tail-filters.ts'
import type { TailFilters } from './tail-filters.ts'
import type { TailItem } from './tail-item.ts'
import type { News } from './tail-source.ts'

export interface TailListener extends Pick<EventQueue, 'gap' | 'next' | 'wake'> {
  take(news: News): void
  /** What he missed, oldest first, behind so many that cannot be told again. */
  replay(items: readonly TailItem[], dropped: number): void
}

/** Decisions of which is known that they were shown. */
const shownMax = 2000

export function createTailListener(filters: TailFilters): TailListener {
  const { push, gap, inFront, next, wake } = createEventQueue()
  const shown = new Set<string>()

  /** It may have become what he wants to see only now. */
  function show(item: TailItem): void {
    const { decision_id } = item.row
    if (shown.has(decision_id) || !isAbout(filters, item.row)) return
    if (!isWanted(filters, item.state)) return
    shown.add(decision_id)
    const [oldest] = shown
    if (shown.size > shownMax && oldest !== undefined) shown.delete(oldest)
    push(item.decision, 1)
  }

  return {
    take: ({ decisions, evaluations, dropped }) => {
      for (const item of evaluations) {
        if (shown.has(item.row.decision_id)) push(item.evaluation, 0)
        else show(item)
      }
      if (dropped > 0) gap(dropped)
      for (const item of decisions) show(item)
    },
    replay: (items, dropped) =>
      inFront(() => {
        if (dropped > 0) gap(dropped)
        for (const item of items) show(item)
      }),
    ...{ gap, next, wake }
  }
}
