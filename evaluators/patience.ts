/** How much time the evaluators of one organization that hang may cost all others. */
import type { CompiledEvaluator } from './evaluator.ts'

export interface Patience {
  /** Whether it rests, so that nobody waits for it any more. */
  isOver(organizationId: string, evaluator: CompiledEvaluator): boolean
  /** Notes that it was waited for in vain. */
  lose(organizationId: string, evaluator: CompiledEvaluator, ms: number): void
}

/** What may be lost in a minute until those rest that hung, and until all of the organization. */
const windowMs = 60_000
const lostMsMax = { late: 3000, all: 6000 }

interface Account {
  readonly endsAt: number
  readonly late: Set<CompiledEvaluator>
  lostMs: number
}

/** @param now milliseconds on a clock that never jumps */
export function createPatience(now: () => number = () => performance.now()): Patience {
  const accounts = new Map<string, Account>()

  function accountOf(organizationId: string): Account | undefined {
    const found = accounts.get(organizationId)
    if (found === undefined || found.endsAt > now()) return found
    accounts.delete(organizationId)
    return undefined
  }

  return {
    isOver(organizationId, evaluator) {
      if (accounts.size === 0) return false
      const { lostMs = 0, late } = accountOf(organizationId) ?? {}
      const mostMs = late?.has(evaluator) === true ? lostMsMax.late : lostMsMax.all
      return lostMs >= mostMs
    },
    lose(organizationId, evaluator, ms) {
      const fresh = { endsAt: now() + windowMs, late: new Set<CompiledEvaluator>(), lostMs: 0 }
      const account = accountOf(organizationId) ?? fresh
      account.late.add(evaluator)
      account.lostMs += ms
      accounts.set(organizationId, account)
    }
  }
}
