/** Chooses the decisions to defer when an organization exceeds its share of evaluation time. */
import type { Decision } from '../../../core/decision/decision.ts'
import type { Costs } from './costs.ts'
import { fairShare } from './fair-share.ts'
import type { Neighbours } from '../../../platform/process/neighbours.ts'

interface Choice {
  readonly costs: Pick<Costs, 'of'>
  readonly neighbors: Neighbours
  /**
   * Organizations that already have deferred decisions. Their new decisions are deferred too, to
   * preserve the order.
   */
  readonly waiting: ReadonlySet<string>
}

/** Evaluation time in milliseconds: total per batch, and minimum per organization. */
const shareMs = { batch: 25, organization: 5 }

/**
 * Returns the decisions to defer. An organization keeps the decisions that fit into its share, and
 * at least one. It keeps all of them if no other organization has used this process recently. All
 * decisions of an organization in `waiting` are deferred.
 */
export function chooseDeferred(
  decisions: readonly Decision[],
  { costs, neighbors, waiting }: Choice
): readonly Decision[] {
  const byOrganization = Map.groupBy(decisions, ({ organization_id }) => organization_id)
  for (const id of byOrganization.keys()) neighbors.note(id)
  const sharing = [...byOrganization].filter(([id]) => !waiting.has(id))
  const demands = sharing.map(([id, own]) => own.length * costs.of(id))
  const msOfEach = Math.max(shareMs.organization, fairShare(demands, shareMs.batch))
  return [...byOrganization].flatMap(([id, own]) => {
    if (waiting.has(id)) return own
    if (!neighbors.has(id)) return []
    return own.slice(Math.max(1, Math.floor(msOfEach / costs.of(id))))
  })
}
