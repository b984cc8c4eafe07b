/** Timeout budget: limits how much time the slow evaluators of one organization take from other
 * organizations.
 */
import type { CompiledEvaluator } from './evaluator.ts'

export interface TimeoutBudget {
  /** Returns true if the evaluator must not run until the window ends. */
  isSpent(organizationId: string, evaluator: CompiledEvaluator): boolean
  /** Adds time that was lost to a timeout. */
  charge(organizationId: string, evaluator: CompiledEvaluator, ms: number): void
}

/**
 * Length of the window in milliseconds, and limits on the time that an organization may lose to
 * timeouts per window. At the limit `late`, the organization's evaluators that have timed out no
 * longer run. At the limit `all`, none of its unbounded evaluators run.
 */
const windowMs = 60_000
const lostMsMax = { late: 3000, all: 6000 }

interface Account {
  readonly endsAt: number
  readonly late: Set<CompiledEvaluator>
  lostMs: number
}

/**
 * Creates the budgets of all organizations.
 * @param now a monotonic clock that returns milliseconds
 */
export function createTimeoutBudget(now: () => number = () => performance.now()): TimeoutBudget {
  const accounts = new Map<string, Account>()

  function accountOf(organizationId: string): Account | undefined {
    const found = accounts.get(organizationId)
    if (found === undefined || found.endsAt > now()) return found
    accounts.delete(organizationId)
    return undefined
  }

  return {
    isSpent(organizationId, evaluator) {
      if (accounts.size === 0) return false
      const { lostMs = 0, late } = accountOf(organizationId) ?? {}
      const mostMs = late?.has(evaluator) === true ? lostMsMax.late : lostMsMax.all
      return lostMs >= mostMs
    },
    charge(organizationId, evaluator, ms) {
      const fresh = { endsAt: now() + windowMs, late: new Set<CompiledEvaluator>(), lostMs: 0 }
      const account = accountOf(organizationId) ?? fresh
      account.late.add(evaluator)
      account.lostMs += ms
      accounts.set(organizationId, account)
    }
  }
}
