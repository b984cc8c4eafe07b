/** Limits how often a client may try what guesses could open: per account and per network. */
import { createHash } from 'node:crypto'
import { Problem } from '../../core/problem.ts'
import type { RateLimit, RateLimiter } from '../../platform/rate-limit/rate-limiter.ts'
import { networkOf } from '../../http/network-of.ts'
import type { IsKnownNetwork } from './sessions/known-network.ts'

export interface Attempt {
  /** As the account has it: lower case, trimmed. */
  readonly email: string
  readonly remoteAddress: string
}

/** Each takes one try. @throws {Problem} 429 with Retry-After */
export interface Throttle {
  /**
   * Of a password. The try is given back when the password was the right one, and when `check`
   * fails: then no password was tried.
   * @returns what `check` returns: false or null for a wrong password
   */
  attempt<T>(attempt: Attempt, check: () => Promise<T>): Promise<T>
  /** Of a token that came by email, or of an account that is new. */
  fromAddress(remoteAddress: string): Promise<void>
  /** Of an email to an address; those of one kind leave the others their number. */
  letter(attempt: Attempt, kind: 'account' | 'registration'): Promise<void>
}

const windowSeconds = 15 * 60
/** Of one network at one account: wrong passwords from elsewhere leave it these. */
export const pairLimit: RateLimit = Object.freeze({ points: 10, windowSeconds })
export const addressLimit: RateLimit = Object.freeze({ points: 50, windowSeconds })
/** Of all networks at one account. Beyond it only networks that it has logged in from may try. */
export const accountLimit: RateLimit = Object.freeze({ points: 100, windowSeconds })
export const lettersLimit: RateLimit = Object.freeze({ points: 5, windowSeconds })

type Take = readonly [key: string, limit: RateLimit]

export function createThrottle(rateLimiter: RateLimiter, isKnownNetwork: IsKnownNetwork): Throttle {
  /** @returns 0, or the milliseconds until the window ends that has no try left */
  async function waitMsOf([key, limit]: Take): Promise<number> {
    const { granted, resetMs } = await rateLimiter.take(key, limit, 1)
    return granted < 1 ? Math.max(1, resetMs) : 0
  }

  function giveBack(taken: readonly Take[]): void {
    for (const [key, limit] of taken) rateLimiter.giveBack(key, limit, 1)
  }

  /**
   * The network first: one that is over its limit cannot use up the tries of an account. What is
   * refused has used up nothing.
   */
  async function take(...takes: readonly Take[]): Promise<void> {
    for (const [index, each] of takes.entries()) {
      const waitMs = await waitMsOf(each)
      if (waitMs === 0) continue
      giveBack(takes.slice(0, index))
      throw throttled(waitMs)
    }
  }

  const addressTake = (remoteAddress: string): Take => [
    `account:address:${networkOf(remoteAddress)}`,
    addressLimit
  ]

  return {
    attempt: async ({ email, remoteAddress }, check) => {
      const network = networkOf(remoteAddress)
      const name = nameOf(email)
      const taken: Take[] = [
        [`login:address:${network}`, addressLimit],
        [`login:pair:${name}:${network}`, pairLimit]
      ]
      await take(...taken)
      const ofAccount: Take = [`login:account:${name}`, accountLimit]
      let isWrong = false
      try {
        const waitMs = await waitMsOf(ofAccount)
        if (waitMs === 0) taken.push(ofAccount)
        else if (!(await isKnownNetwork(email, network))) throw throttled(waitMs)
        const checked = await check()
        isWrong = checked === null || checked === false
        return checked
      } finally {
        if (!isWrong) giveBack(taken)
      }
    },
    fromAddress: (remoteAddress) => take(addressTake(remoteAddress)),
    letter: ({ email, remoteAddress }, kind) =>
      take(addressTake(remoteAddress), [`letter:${kind}:${nameOf(email)}`, lettersLimit])
  }
}

/** A hash, so that no list of addresses of people lies in Redis. */
function nameOf(email: string): string {
  return createHash('sha256').update(email).digest('base64url')
}

function throttled(waitMs: number): Problem {
  const seconds = Math.ceil(waitMs / 1000)
  return new Problem('login_throttled', {
    detail: `Too many attempts for this account or from this address; try again in ${seconds} s.`,
    headers: { 'retry-after': String(seconds) }
  })
}
