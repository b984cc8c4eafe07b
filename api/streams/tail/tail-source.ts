/** What is new of one organization since the last look; one for all of its listeners. */
import type { Clock } from '../../../core/clock.ts'
import type { CursorPosition } from '../../../core/cursor.ts'
import { selectSummaries } from '../../decisions/list/decision-summaries.ts'
import type { DecisionKey } from '../../decisions/list/scan-decisions.ts'
import type { OrganizationStore } from '../../store.ts'
import { selectKeys, selectStates, toldScoresBytesMax } from './select-news.ts'
import type { Progress } from './select-news.ts'
import { TailItem } from './tail-item.ts'
import type { Look, TailPlaces } from './tail-place.ts'
import { createUnfinishedItems } from './unfinished-items.ts'

/** Of the topics of decisions and of evaluations. */
export interface TailProgress {
  readonly decisions: Progress
  readonly evaluations: Progress
}

export interface News {
  /** Decisions that were not shown before, oldest first. */
  readonly decisions: readonly TailItem[]
  /** Decisions of before whose evaluation has changed. */
  readonly evaluations: readonly TailItem[]
  /** At least so many new decisions are not among them. */
  readonly dropped: number
}

export interface TailSource {
  /** The first look only learns what is old. A look that fails may be repeated. */
  look(progress: TailProgress): Promise<News>
  /** Of these was told as well: what becomes of them is news. */
  keep(items: readonly TailItem[]): void
  /** Behind everything of the last look; null before the first. */
  place(): string | null
}

/** So many decisions of a look are shown; the newest. */
export const shownMax = 500
/** What was received so long before the watermark is stored: clocks differ a little. */
const slackMs = 5000
/** Storage may be far behind, and no look goes back further. */
const windowMsMax = 3_600_000

export interface TailSourceDependencies {
  readonly store: OrganizationStore
  readonly clock: Clock
  /** Of the organization of the store. */
  readonly places: TailPlaces
}

export function createTailSource({ store, clock, places }: TailSourceDependencies): TailSource {
  const unfinished = createUnfinishedItems(store, clock)
  /** Null before the first look. */
  let seen: ReadonlySet<string> | null = null
  let lastLook: Look | null = null
  let last: TailProgress | null = null

  /** Never back: what was shown would be shown again. */
  function beginOf({ as_of }: Progress): number {
    const now = clock.now()
    const settled = Math.min(as_of?.getTime() ?? now, now)
    return Math.max(lastLook?.from ?? 0, settled - slackMs, now - windowMsMax)
  }

  async function lookForDecisions(progress: Progress) {
    const begin = beginOf(progress)
    const at = progress.horizon
    const look = { from: begin, before: lastLook?.at ?? at, at }
    const found = await selectKeys(store, new Date(begin))
    const known = seen
    const fresh = known === null ? [] : found.filter(({ decision_id }) => !known.has(decision_id))
    const decisions = await itemsOf(store, fresh.slice(0, shownMax), places.within(look))
    lastLook = look
    seen = new Set(found.map(({ decision_id }) => decision_id))
    return { decisions, dropped: Math.max(0, fresh.length - shownMax) }
  }

  function place(): string | null {
    return lastLook === null ? null : places.after(lastLook)
  }

  function keep(items: readonly TailItem[]): void {
    for (const item of items) unfinished.keep(item)
  }

  return {
    look: async (progress) => {
      const hasMoved = (name: keyof TailProgress): boolean =>
        last?.[name].settled !== progress[name].settled
      const isDue = hasMoved('evaluations') || unfinished.isDue()
      const evaluations = isDue ? await unfinished.look(place() ?? '') : []
      const isNew = hasMoved('decisions') || seen === null
      const found = isNew ? await lookForDecisions(progress.decisions) : nothing
      last = progress
      keep([...evaluations, ...found.decisions])
      return { ...found, evaluations }
    },
    ...{ keep, place }
  }
}

const nothing = Object.freeze({ decisions: [], dropped: 0 })

/** Oldest first; those that were erased meanwhile are not among them. */
export async function itemsOf(
  store: OrganizationStore,
  keys: readonly DecisionKey[],
  idOf: (position: CursorPosition) => string
): Promise<TailItem[]> {
  const ids = keys.map(({ decision_id }) => decision_id)
  const states = await selectStates(store, ids, toldScoresBytesMax)
  const places = new Map(keys.map(({ decision_id, sort_key }) => [decision_id, sort_key]))
  const rows = await selectSummaries(store, keys.toReversed())
  return rows.map((row) => {
    const { decision_id } = row
    const id = idOf({ sort_key: places.get(decision_id) ?? '', id: decision_id })
    return new TailItem(row, id, states.get(decision_id))
  })
}
