/** Finds new decisions and changed evaluations of an organization since the last poll. */
import type { Clock } from '../../../core/clock.ts'
import type { CursorPosition } from '../../../core/cursor.ts'
import { isEvaluationOver } from '../../../core/evaluation/evaluation-status.ts'
import { selectSummaries } from '../../decisions/queries.ts'
import type { DecisionKey } from '../../decisions/queries.ts'
import type { OrganizationStore } from '../../store.ts'
import { TailItem } from './events.ts'
import { selectKeys, selectStates, tailScoresBytesMax } from './queries.ts'
import type { StorageProgress, StoredEvaluation } from './queries.ts'
import type { PollBounds, TailIds } from './tail-id.ts'

/** Storage progress of the decisions and evaluations topics. */
export interface TailProgress {
  readonly decisions: StorageProgress
  readonly evaluations: StorageProgress
}

export interface TailUpdate {
  /** New decisions, oldest first. */
  readonly decisions: readonly TailItem[]
  /** Decisions shown earlier whose evaluation has changed. */
  readonly evaluations: readonly TailItem[]
  /**
   * Number of new decisions omitted from `decisions`. A lower bound, because a query returns at
   * most `keysMax` keys.
   */
  readonly dropped: number
}

export type TailSource = ReturnType<typeof createTailSource>

/** Maximum number of decisions shown per poll. If there are more, the newest are shown. */
export const shownMax = 500
/**
 * Allowance for clock skew in milliseconds: decisions received at least this long before the
 * watermark are assumed to be stored.
 */
const slackMs = 5000
/** Maximum time in milliseconds that a poll looks back, even if storage lags by more. */
const windowMsMax = 3_600_000

/** @param ids creates and parses event ids of the same organization as `store` */
export function createTailSource(store: OrganizationStore, clock: Clock, ids: TailIds) {
  const unfinished = createUnfinishedItems(store, clock)
  /** Ids of the decisions that the last poll found; null before the first poll. */
  let seen: ReadonlySet<string> | null = null
  let lastBounds: PollBounds | null = null
  let last: TailProgress | null = null

  /**
   * Returns the time from which a poll selects decisions. It never decreases, because otherwise
   * decisions would be shown again.
   */
  function beginOf({ as_of }: StorageProgress): number {
    const now = clock.now()
    const settled = Math.min(as_of?.getTime() ?? now, now)
    return Math.max(lastBounds?.from ?? 0, settled - slackMs, now - windowMsMax)
  }

  async function selectNewDecisions(progress: StorageProgress) {
    const begin = beginOf(progress)
    const at = progress.horizon
    const bounds = { from: begin, before: lastBounds?.at ?? at, at }
    const found = await selectKeys(store, new Date(begin))
    const known = seen
    const fresh = known === null ? [] : found.filter(({ decision_id }) => !known.has(decision_id))
    const decisions = await itemsOf(store, fresh.slice(0, shownMax), ids.within(bounds))
    lastBounds = bounds
    seen = new Set(found.map(({ decision_id }) => decision_id))
    return { decisions, dropped: Math.max(0, fresh.length - shownMax) }
  }

  /** Returns the id that follows all updates of the last poll; null before the first poll. */
  function latestId(): string | null {
    return lastBounds === null ? null : ids.after(lastBounds)
  }

  /** Adds items shown outside of polls, so that polls also report changes to their evaluations. */
  function keep(items: readonly TailItem[]): void {
    for (const item of items) unfinished.keep(item)
  }

  return {
    /**
     * Returns the changes since the last poll. The first poll returns none, and only records what
     * already exists. A failed poll can be repeated.
     */
    poll: async (progress: TailProgress): Promise<TailUpdate> => {
      const hasMoved = (name: keyof TailProgress): boolean =>
        last?.[name].settled !== progress[name].settled
      const isDue = hasMoved('evaluations') || unfinished.isDue()
      const evaluations = isDue ? await unfinished.poll(latestId() ?? '') : []
      const isNew = hasMoved('decisions') || seen === null
      const found = isNew ? await selectNewDecisions(progress.decisions) : nothing
      last = progress
      keep([...evaluations, ...found.decisions])
      return { ...found, evaluations }
    },
    keep,
    latestId
  }
}

const nothing = Object.freeze({ decisions: [], dropped: 0 })

/** Returns items, oldest first. Omits decisions that have been erased. */
export async function itemsOf(
  store: OrganizationStore,
  keys: readonly DecisionKey[],
  idOf: (position: CursorPosition) => string
): Promise<TailItem[]> {
  const ids = keys.map(({ decision_id }) => decision_id)
  const states = await selectStates(store, ids, tailScoresBytesMax)
  const sortKeys = new Map(keys.map(({ decision_id, sort_key }) => [decision_id, sort_key]))
  const rows = await selectSummaries(store, keys.toReversed())
  return rows.map((row) => {
    const { decision_id } = row
    const id = idOf({ sort_key: sortKeys.get(decision_id) ?? '', id: decision_id })
    return new TailItem(row, id, states.get(decision_id))
  })
}

/**
 * Maximum number of decisions tracked until their evaluation ends, and the maximum time in
 * milliseconds for which each is tracked.
 */
const unfinishedMax = 1000
const unfinishedMsMax = 600_000
/**
 * Time in milliseconds after which the tracked evaluations are read again even if storage has made
 * no progress. A plan without runs is not published to any topic, so storage progress does not
 * reveal it.
 */
const dueMs = 5000

/** Tracks decisions that were shown before their evaluation ended. */
function createUnfinishedItems(store: OrganizationStore, clock: Clock) {
  const kept = new Map<string, { readonly item: TailItem; readonly since: number }>()
  let polledAt = clock.now()

  return {
    keep: (item: TailItem): void => {
      const { decision_id } = item.row
      kept.delete(decision_id)
      if (isEvaluationOver(item.state.status)) return
      kept.set(decision_id, { item, since: clock.now() })
      const [oldest] = kept.keys()
      if (kept.size > unfinishedMax && oldest !== undefined) kept.delete(oldest)
    },
    /**
     * Returns the items whose evaluation has changed.
     * @param id the event id for these items
     */
    poll: async (id: string): Promise<readonly TailItem[]> => {
      const now = clock.now()
      for (const [id, { since }] of kept) if (since < now - unfinishedMsMax) kept.delete(id)
      const states = await selectStates(store, [...kept.keys()], tailScoresBytesMax)
      polledAt = now
      return [...states].flatMap(([decisionId, state]) => {
        const before = kept.get(decisionId)?.item
        const isSame = before === undefined || isEqual(before.state, state)
        return isSame ? [] : [new TailItem(before.row, id, state)]
      })
    },
    /** Checks whether a poll is due even if storage has made no progress. */
    isDue: () => clock.now() - polledAt >= dueMs
  }
}

function isEqual(left: StoredEvaluation, right: StoredEvaluation): boolean {
  const names = ['status', 'reason', 'verdict', 'scores'] as const
  return names.every((name) => left[name] === right[name])
}
