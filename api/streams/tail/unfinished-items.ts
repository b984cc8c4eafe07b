/** Decisions that were shown before their evaluation was over: a bounded number, for a while. */
import type { Clock } from '../../../core/clock.ts'
import { isEvaluationOver } from '../../../core/evaluation/evaluation-status.ts'
import type { EvaluationStatus } from '../../../core/evaluation/evaluation-status.ts'
import type { OrganizationStore } from '../../store.ts'
import { selectStates, toldScoresBytesMax } from './select-news.ts'
import type { EvaluationState } from './select-news.ts'
import { TailItem } from './tail-item.ts'

export interface UnfinishedItems {
  /** Until its evaluation is over. */
  keep(item: TailItem): void
  /** Those of which more is known than when they were kept; `id` is of the event that shows one. */
  look(id: string): Promise<readonly TailItem[]>
  /** Whether the last look is so long ago that there should be one, whatever storage says. */
  isDue(): boolean
}

const itemsMax = 1000
const keptMs = 600_000
/** A plan without a run is part of no topic that storage reads. */
const dueMs = 5000

export function createUnfinishedItems(store: OrganizationStore, clock: Clock): UnfinishedItems {
  const kept = new Map<string, { readonly item: TailItem; readonly since: number }>()
  let lookedAt = clock.now()

  return {
    keep: (item) => {
      const { decision_id } = item.row
      kept.delete(decision_id)
      if (isEvaluationOver(item.state.status as EvaluationStatus)) return
      kept.set(decision_id, { item, since: clock.now() })
      const [oldest] = kept.keys()
      if (kept.size > itemsMax && oldest !== undefined) kept.delete(oldest)
    },
    look: async (id) => {
      const now = clock.now()
      for (const [id, { since }] of kept) if (since < now - keptMs) kept.delete(id)
      const states = await selectStates(store, [...kept.keys()], toldScoresBytesMax)
      lookedAt = now
      return [...states].flatMap(([decisionId, state]) => {
        const before = kept.get(decisionId)?.item
        const isSame = before === undefined || isEqual(before.state, state)
        return isSame ? [] : [new TailItem(before.row, id, state)]
      })
    },
    isDue: () => clock.now() - lookedAt >= dueMs
  }
}

function isEqual(left: EvaluationState, right: EvaluationState): boolean {
  const names = ['status', 'reason', 'verdict', 'scores'] as const
  return names.every((name) => left[name] === right[name])
}
