/** Limits the rate of each agent, so that one agent cannot use up the rate limit of its
 * organization.
 */
import type {
  RateLimit,
  RateLimiter,
  RateLimitState
} from '../../platform/rate-limit/rate-limiter.ts'
import { Problem } from '../../core/problem.ts'
import type { DecisionBatch } from './decision-batch.ts'
import { createLimitPolicy, giveBackTo, limitProblem, neverFits } from './limit-policy.ts'

/**
 * Rejects the decisions of agents over their limit. A rejected decision still counts against the
 * limit of its organization, because rejecting it also takes work.
 */
export type LimitAgents = (batch: DecisionBatch, organizationId: string) => Promise<void>

/**
 * Takes a point for each decision from the window of its agent, or none if one agent is over its
 * limit. Returns a function that gives the points back.
 * @throws {Problem} 413 if they can never fit, 429 if they do not fit now
 */
export type TakeAgents = (
  batches: readonly DecisionBatch[],
  organizationId: string
) => Promise<() => void>

interface LimitAgentsDependencies {
  readonly rateLimiter: RateLimiter
  /** Limit per agent; 0 points means no limit. */
  readonly limit: RateLimit
}

export function createLimitAgents(dependencies: LimitAgentsDependencies): {
  limitAgents: LimitAgents
  takeAgents: TakeAgents
} {
  const { rateLimiter, limit } = dependencies
  if (limit.points === 0) {
    return { limitAgents: () => Promise.resolve(), takeAgents: () => Promise.resolve(() => {}) }
  }
  const policy = createLimitPolicy({ name: 'agent', who: 'Each agent', limit })

  const limitAgents: LimitAgents = async (batch, organizationId) => {
    const reject = (index: number, state: RateLimitState): void => {
      if (state.granted === 0) batch.problems[index] = limitProblem(policy, state)
    }
    const waiting: Promise<void>[] = []
    for (const [index, problem] of batch.problems.entries()) {
      const agentId = problem === null ? batch.agentAt(index) : null
      if (agentId === null || agentId === '') continue
      const state = rateLimiter.take(windowOf(organizationId, agentId), limit, 1)
      if (state instanceof Promise) waiting.push(state.then((late) => reject(index, late)))
      else reject(index, state)
    }
    await Promise.all(waiting)
  }

  const takeAgents: TakeAgents = async (batches, organizationId) => {
    const counts = countAgents(batches)
    if (counts.size > agentsMax) throw tooManyAgents()
    for (const count of counts.values()) if (count > limit.points) throw neverFits(policy, count)
    const taken = await Promise.all(
      [...counts].map(async ([agentId, count]) => {
        const key = windowOf(organizationId, agentId)
        return { key, count, state: await rateLimiter.take(key, limit, count) }
      })
    )
    const giveBack = (): void => {
      for (const { key, state } of taken) giveBackTo(rateLimiter, { key, limit, state })
    }
    const refused = taken.find(({ count, state }) => state.granted < count)
    if (refused === undefined) return giveBack
    giveBack()
    throw limitProblem(policy, refused.state)
  }

  return { limitAgents, takeAgents }
}

/** Maximum number of agents in a request. Each one has a window. */
const agentsMax = 1000

function tooManyAgents(): Problem {
  return new Problem('payload_too_large', {
    detail: `The request has more than ${agentsMax} agents. Set a smaller batch size.`
  })
}

function windowOf(organizationId: string, agentId: string): string {
  return `agent:${organizationId}:${agentId}`
}

/** Returns the number of decisions of each named agent that are not rejected. */
function countAgents(batches: readonly DecisionBatch[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const batch of batches) {
    for (const [index, problem] of batch.problems.entries()) {
      const agentId = problem === null ? batch.agentAt(index) : null
      if (agentId) counts.set(agentId, (counts.get(agentId) ?? 0) + 1)
    }
  }
  return counts
}
