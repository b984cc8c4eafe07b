/** What somebody missed who comes back: read from the store, up to a number. */
import { readCursor } from '../../../core/cursor.ts'
import type { CursorPosition } from '../../../core/cursor.ts'
import type { OrganizationStore } from '../store.ts'
import { selectKeys } from './select-news.ts'
import type { TailFilters } from './tail-filters.ts'
import type { TailItem } from './tail-item.ts'
import type { TailListener } from './tail-listener.ts'
import { itemsOf, shownMax } from './tail-source.ts'

export interface Missed {
  /** As a caller sent it: the id of the last event that he has. */
  readonly lastEventId: string
  readonly filters: TailFilters
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Whoever was away for longer begins anew. */
const awayMsMax = 86_400_000

/** The newest of them, behind a gap that tells of the others. @returns those that were told. */
export async function replayMissed(
  store: OrganizationStore,
  listener: TailListener,
  missed: Missed
): Promise<readonly TailItem[]> {
  const position = positionOf(missed)
  if (position === null) {
    listener.gap(null)
    return []
  }
  const keys = await selectKeys(store, position, missed.filters)
  const items = await itemsOf(store, keys.slice(0, shownMax))
  listener.replay(items, Math.max(0, keys.length - shownMax))
  return items
}

function positionOf({ lastEventId, now }: Missed): CursorPosition | null {
  const read = readCursor(lastEventId, {})
  if (read.kind !== 'position') return null
  const isLongAgo = Date.parse(read.position.sort_key) < now - awayMsMax
  return isLongAgo ? null : read.position
}
