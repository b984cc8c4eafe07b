/** Limits the rate of each agent, so that one agent cannot use up the rate limit of its
 * organization.
 */
import type { Decision } from '../../core/decision/decision.ts'
import type { Problem } from '../../core/problem.ts'
import type {
  RateLimit,
  RateLimiter,
  RateLimitState
} from '../../platform/rate-limit/rate-limiter.ts'
import { createLimitPolicy, limitProblem } from './limit-policy.ts'

type AgentOfDecision = Pick<Decision, 'organization_id' | 'agent_id'>

/**
 * Returns the 429 for this decision, or null. A rejected decision still counts against the limit of
 * its organization, because rejecting it also takes work.
 */
export type LimitAgent = (decision: AgentOfDecision) => Problem | null | Promise<Problem | null>

interface LimitAgentDependencies {
  readonly rateLimiter: RateLimiter
  /** Limit per agent; 0 points means no limit. */
  readonly limit: RateLimit
}

export function createLimitAgent({ rateLimiter, limit }: LimitAgentDependencies): LimitAgent {
  if (limit.points === 0) return () => null
  const policy = createLimitPolicy({ name: 'agent', who: 'Each agent', limit })

  function problemOf(state: RateLimitState): Problem | null {
    return state.granted > 0 ? null : limitProblem(policy, state)
  }

  return function limitAgent({ organization_id, agent_id }) {
    if (agent_id === null) return null
    const state = rateLimiter.take(`agent:${organization_id}:${agent_id}`, limit, 1)
    return state instanceof Promise ? state.then(problemOf) : problemOf(state)
  }
}
