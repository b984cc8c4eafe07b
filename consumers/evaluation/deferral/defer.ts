/** Defers decisions of a batch when their organization exceeds its share of the evaluation time. */
import type { Decision } from '../../../core/decision/decision.ts'
import type { Queryable } from '../../../platform/postgres/postgres.ts'
import { createNeighbours } from '../../../platform/process/neighbours.ts'
import { chooseDeferred } from './choose-deferred.ts'
import type { Costs } from './costs.ts'
import { deferDecisions, findWaiting } from './deferred-decisions.ts'

/** Each method returns the deferred decisions. The caller must not evaluate them. */
export interface Defer {
  /**
   * Defers decisions that are expected to exceed their organization's share. Call this before
   * planning the batch.
   */
  beyondShare(decisions: readonly Decision[], partition: number): Promise<ReadonlySet<Decision>>
  /**
   * Defers decisions that are already planned. Call this when the batch has exceeded its time
   * limit. Skips the decisions of an organization if no other organization has used this process
   * recently.
   */
  rest(decisions: readonly Decision[], partition: number): Promise<ReadonlySet<Decision>>
}

interface DeferDependencies {
  readonly postgres: Queryable
  readonly costs: Pick<Costs, 'of'>
}

/**
 * How long an organization is remembered after its last decision. While no other organization is
 * remembered, an organization may use all of the evaluation time.
 */
const rememberedMs = 3_600_000

export function createDefer({ postgres, costs }: DeferDependencies): Defer {
  const neighbors = createNeighbours(rememberedMs)

  async function defer(decisions: readonly Decision[], partition: number) {
    await deferDecisions(postgres, decisions, partition)
    return new Set(decisions)
  }

  return {
    async beyondShare(decisions, partition) {
      const ids = new Set(decisions.map(({ organization_id }) => organization_id))
      const waiting = await findWaiting(postgres, [...ids], partition)
      return await defer(chooseDeferred(decisions, { costs, neighbors, waiting }), partition)
    },
    rest: async (decisions, partition) =>
      await defer(
        decisions.filter(({ organization_id }) => neighbors.has(organization_id)),
        partition
      )
  }
}
