/** How long trials of one organization may compute in a process where agents wait for their 202. */
export interface ComputeAllowance {
  isSpent(organizationId: string): boolean
  spend(organizationId: string, ms: number): void
}

const windowMs = 60_000
const computeMsMax = 1000

interface Account {
  readonly endsAt: number
  spentMs: number
}

/** @param now milliseconds on a clock that never jumps */
export function createComputeAllowance(
  now: () => number = () => performance.now()
): ComputeAllowance {
  const accounts = new Map<string, Account>()

  function accountOf(organizationId: string): Account | undefined {
    const found = accounts.get(organizationId)
    if (found === undefined || found.endsAt > now()) return found
    accounts.delete(organizationId)
    return undefined
  }

  return {
    isSpent: (organizationId) => (accountOf(organizationId)?.spentMs ?? 0) >= computeMsMax,
    spend(organizationId, ms) {
      const account = accountOf(organizationId) ?? { endsAt: now() + windowMs, spentMs: 0 }
      account.spentMs += ms
      accounts.set(organizationId, account)
    }
  }
}
