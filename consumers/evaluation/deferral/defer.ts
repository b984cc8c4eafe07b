/** Defers decisions of a batch that exceed the share of their organization. */
import type { Decision } from '../../../core/decision/decision.ts'
import type { Queryable } from '../../../platform/postgres/postgres.ts'
import { createNeighbours } from '../../../platform/process/neighbours.ts'
import { isStorable } from '../plan.ts'
import { chooseDeferred } from './choose-deferred.ts'
import type { Costs } from './costs.ts'
import { deferDecisions, findWaiting } from './deferred-decisions.ts'

/** Both return the decisions that they deferred, which the batch then leaves out. */
export interface Defer {
  /** Before a batch is planned, by the expected cost of its decisions. */
  beyondShare(decisions: readonly Decision[], partition: number): Promise<ReadonlySet<Decision>>
  /** Planned decisions, when the batch has taken longer than expected. */
  rest(decisions: readonly Decision[], partition: number): Promise<ReadonlySet<Decision>>
}

export interface DeferDependencies {
  readonly postgres: Queryable
  readonly costs: Pick<Costs, 'of'>
}

/** An organization that was the only one for so long is never deferred. */
const rememberedMs = 3_600_000

export function createDefer({ postgres, costs }: DeferDependencies): Defer {
  const neighbors = createNeighbours(rememberedMs)

  async function defer(decisions: readonly Decision[], partition: number) {
    await deferDecisions(postgres, decisions, partition)
    return new Set(decisions)
  }

  return {
    async beyondShare(decisions, partition) {
      const storable = decisions.filter(isStorable)
      const ids = new Set(storable.map(({ organization_id }) => organization_id))
      const waiting = await findWaiting(postgres, [...ids], partition)
      return await defer(chooseDeferred(storable, { costs, neighbors, waiting }), partition)
    },
    rest: async (decisions, partition) =>
      await defer(
        decisions.filter(({ organization_id }) => neighbors.has(organization_id)),
        partition
      )
  }
}
