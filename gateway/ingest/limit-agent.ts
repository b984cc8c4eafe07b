/** limit agent: keeps one agent from using up what its organization may send. */
import type { Decision } from '../../core/decision/decision.ts'
import type { Problem } from '../../core/problem.ts'
import type {
  RateLimit,
  RateLimiter,
  RateLimitState
} from '../../platform/rate-limit/rate-limiter.ts'
import { createLimitPolicy, limitProblem } from './limit-policy.ts'

type Who = Pick<Decision, 'organization_id' | 'agent_id'>

/**
 * Answers with the 429 for this decision, or null. It counts for the organization all the same: to
 * refuse is work too.
 */
export type LimitAgent = (decision: Who) => Problem | null | Promise<Problem | null>

export interface LimitAgentDependencies {
  readonly rateLimiter: RateLimiter
  /** For each agent; 0 points are no limit. */
  readonly limit: RateLimit
}

export function createLimitAgent({ rateLimiter, limit }: LimitAgentDependencies): LimitAgent {
  if (limit.points === 0) return () => null
  const policy = createLimitPolicy({ name: 'agent', who: 'One agent', limit })

  function refusalOf(state: RateLimitState): Problem | null {
    return state.granted > 0 ? null : limitProblem(policy, state)
  }

  return function limitAgent({ organization_id, agent_id }) {
    // Without an id there is nobody whom the limit could be about.
    if (agent_id === null) return null
    const state = rateLimiter.take(`agent:${organization_id}:${agent_id}`, limit, 1)
    return state instanceof Promise ? state.then(refusalOf) : refusalOf(state)
  }
}
