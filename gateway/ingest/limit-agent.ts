/** Limits the rate of each agent, so that one agent cannot use up the rate limit of its
 * organization.
 */
import type {
  RateLimit,
  RateLimiter,
  RateLimitState
} from '../../platform/rate-limit/rate-limiter.ts'
import type { DecisionBatch } from './decision-batch.ts'
import { createLimitPolicy, limitProblem } from './limit-policy.ts'

/**
 * Rejects the decisions of agents over their limit. A rejected decision still counts against the
 * limit of its organization, because rejecting it also takes work.
 */
export type LimitAgents = (batch: DecisionBatch, organizationId: string) => Promise<void>

interface LimitAgentsDependencies {
  readonly rateLimiter: RateLimiter
  /** Limit per agent; 0 points means no limit. */
  readonly limit: RateLimit
}

export function createLimitAgents(dependencies: LimitAgentsDependencies): LimitAgents {
  const { rateLimiter, limit } = dependencies
  if (limit.points === 0) return () => Promise.resolve()
  const policy = createLimitPolicy({ name: 'agent', who: 'Each agent', limit })

  return async function limitAgents(batch, organizationId) {
    const reject = (index: number, state: RateLimitState): void => {
      if (state.granted === 0) batch.problems[index] = limitProblem(policy, state)
    }
    const waiting: Promise<void>[] = []
    for (const [index, problem] of batch.problems.entries()) {
      const agentId = problem === null ? batch.agentAt(index) : null
      if (agentId === null || agentId === '') continue
      const state = rateLimiter.take(`agent:${organizationId}:${agentId}`, limit, 1)
      if (state instanceof Promise) waiting.push(state.then((late) => reject(index, late)))
      else reject(index, state)
    }
    await Promise.all(waiting)
  }
}
