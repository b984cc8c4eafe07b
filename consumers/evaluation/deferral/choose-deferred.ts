/** Chooses what of a batch is deferred: what an organization has beyond its share of the time. */
import type { Decision } from '../../../core/decision/decision.ts'
import type { Costs } from './costs.ts'
import { fairShare } from './fair-share.ts'
import type { Neighbors } from './neighbors.ts'

export interface Choice {
  readonly costs: Pick<Costs, 'of'>
  readonly neighbors: Neighbors
  /** Organizations of which earlier decisions are deferred: later ones do not overtake them. */
  readonly waiting: ReadonlySet<string>
}

/** What a batch evaluates at once, where that is not all, and an organization at least. */
const shareMs = { batch: 25, organization: 5 }

/** The first decisions of an organization are within its share. */
export function chooseDeferred(
  decisions: readonly Decision[],
  { costs, neighbors, waiting }: Choice
): readonly Decision[] {
  const byOrganization = Map.groupBy(decisions, ({ organization_id }) => organization_id)
  for (const id of byOrganization.keys()) neighbors.note(id)
  const others = [...byOrganization].filter(([id]) => !waiting.has(id))
  const demands = others.map(([id, own]) => own.length * costs.of(id))
  const ms = Math.max(shareMs.organization, fairShare(demands, shareMs.batch))
  return [...byOrganization].flatMap(([id, own]) => {
    if (waiting.has(id)) return own
    if (!neighbors.hasOthers(id)) return []
    return own.slice(Math.max(1, Math.floor(ms / costs.of(id))))
  })
}
