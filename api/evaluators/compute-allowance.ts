/** How long one organization may compute what it wrote: checks, trials and previews together. */
import { createCache } from '../../platform/process/cache.ts'

export interface ComputeAllowance {
  /** Whole seconds until there is something to spend again; 0 when there is now. */
  secondsToWait(organizationId: string): number
  spend(organizationId: string, ms: number): void
}

const windowMs = 60_000
const computeMsMax = 1000
/** Beyond them the organization that computed longest ago begins anew. */
const organizationsMax = 10_000

interface Account {
  readonly endsAt: number
  spentMs: number
}

/** @param now milliseconds on a clock that never jumps */
export function createComputeAllowance(
  now: () => number = () => performance.now()
): ComputeAllowance {
  const accounts = createCache<Account>(organizationsMax)

  function accountOf(organizationId: string): Account | undefined {
    const found = accounts.get(organizationId)
    return found !== undefined && found.endsAt > now() ? found : undefined
  }

  return {
    secondsToWait: (organizationId) => {
      const { spentMs, endsAt } = accountOf(organizationId) ?? { spentMs: 0, endsAt: 0 }
      return spentMs < computeMsMax ? 0 : Math.ceil((endsAt - now()) / 1000)
    },
    spend: (organizationId, ms) => {
      const account = accountOf(organizationId) ?? { endsAt: now() + windowMs, spentMs: 0 }
      account.spentMs += ms
      accounts.set(organizationId, account)
    }
  }
}
