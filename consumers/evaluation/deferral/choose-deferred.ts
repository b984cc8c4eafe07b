/** Chooses the decisions of a batch that exceed their organization's share of the time. */
import type { Decision } from '../../../core/decision/decision.ts'
import type { Costs } from './costs.ts'
import { fairShare } from './fair-share.ts'
import type { Neighbours } from '../../../platform/process/neighbours.ts'

interface Choice {
  readonly costs: Pick<Costs, 'of'>
  readonly neighbors: Neighbours
  /** Organizations with deferred decisions: later decisions do not overtake those. */
  readonly waiting: ReadonlySet<string>
}

/** Time of a batch that organizations share, and the least that each of them gets. */
const shareMs = { batch: 25, organization: 5 }

/** The first decisions of an organization are within its share, and always at least one. */
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
