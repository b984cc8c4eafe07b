/** What somebody missed who comes back: read from the store, up to a number. */
import type { OrganizationStore } from '../../store.ts'
import { selectKeys } from './select-news.ts'
import type { TailFilters } from './tail-filters.ts'
import type { TailItem } from './tail-item.ts'
import type { TailListener } from './tail-listener.ts'
import type { TailPlace } from './tail-place.ts'
import { itemsOf, shownMax } from './tail-source.ts'

export interface Missed {
  /** As a caller sent it: the id of the last event that he has. */
  readonly lastEventId: string
  /** Where that is; null where nobody knows. */
  readonly since: TailPlace | null
  readonly filters: TailFilters
  /** Behind what is read here: what is stored later will be told as news. */
  readonly place: string
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Whoever was away for longer begins anew. */
const awayMsMax = 86_400_000

/**
 * The newest of them, behind a gap that tells of the others.
 * @returns those that were told; null where nobody knows, and the tail begins anew.
 */
export async function replayMissed(
  store: OrganizationStore,
  listener: TailListener,
  missed: Missed
): Promise<readonly TailItem[] | null> {
  const { since } = missed
  if (since === null || isLongAgo(since, missed.now)) {
    listener.gap(null)
    return null
  }
  const keys = await selectKeys(store, since, missed.filters)
  const [newest] = keys
  // Who is cut in the middle of it is told all of it again.
  const idOf = ({ id }: { id: string }): string =>
    id === newest?.decision_id ? missed.place : missed.lastEventId
  const items = await itemsOf(store, keys.slice(0, shownMax), idOf)
  listener.replay(items, Math.max(0, keys.length - shownMax))
  return items
}

/** Ids come from callers: an old beginning would have the store look through all of its days. */
function isLongAgo({ position, look }: TailPlace, now: number): boolean {
  const from = look?.from ?? Date.parse(position.sort_key)
  return from < now - awayMsMax
}
