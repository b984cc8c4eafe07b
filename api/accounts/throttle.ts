/** Limits how often a client may try what guesses could open: per account and per network. */
import type { RateLimit, RateLimiter } from '../../platform/rate-limit/rate-limiter.ts'
import { networkOf, siteOf } from '../../http/network-of.ts'
import type { IsKnownNetwork } from './sessions/known-network.ts'
import { createTries, hashedName, throttled } from './tries.ts'
import type { Take } from './tries.ts'

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
  /** Of a login with the right password, which writes rows. */
  login(email: string): Promise<void>
  /** Of a refresh that writes a refresh token. */
  refresh(sessionId: string): Promise<void>
  /** Of a token that came by email, or of an account that is new. */
  fromAddress(remoteAddress: string): Promise<void>
  /**
   * Of the password of a registration, as `attempt`, but counted by its token: who does not have
   * the token cannot use up the tries.
   */
  confirmation<T>(token: string, check: () => Promise<T>): Promise<T>
  /** Of an email to an address; those of one kind leave the others their number. */
  letter(attempt: Attempt, kind: 'account' | 'registration'): Promise<void>
}

const windowSeconds = 15 * 60
/** Of one network at one account: wrong passwords from elsewhere leave it these. */
export const pairLimit: RateLimit = Object.freeze({ points: 10, windowSeconds })
export const addressLimit: RateLimit = Object.freeze({ points: 50, windowSeconds })
/** Of all networks at one account. Beyond it only networks that it has logged in from may try. */
export const accountLimit: RateLimit = Object.freeze({ points: 100, windowSeconds })
/** Of logins of one account with the right password. */
export const loginsLimit: RateLimit = Object.freeze({ points: 200, windowSeconds })
/** Of refresh tokens that one session gets; used ones are kept as long as the session. */
export const refreshLimit: RateLimit = Object.freeze({ points: 30, windowSeconds: 60 })
export const refreshDayLimit: RateLimit = Object.freeze({ points: 3000, windowSeconds: 86_400 })
/** Of wrong passwords with the token of one registration, which is valid for a day. */
export const confirmationLimit: RateLimit = Object.freeze({ points: 10, windowSeconds: 86_400 })
/** Of emails of one kind to one address, as one network asks for them. */
export const pairLettersLimit: RateLimit = Object.freeze({ points: 5, windowSeconds })
/** The same from all networks, so that one network alone cannot use up the emails of an address. */
export const lettersLimit: RateLimit = Object.freeze({ points: 20, windowSeconds })

/** Networks come first: one that is over its limit cannot use up the tries of an account. */
export function createThrottle(rateLimiter: RateLimiter, isKnownNetwork: IsKnownNetwork): Throttle {
  const { waitMsOf, take, countWrong } = createTries(rateLimiter)

  const addressTake = (remoteAddress: string): Take => [
    `account:address:${networkOf(remoteAddress)}`,
    addressLimit
  ]

  return {
    attempt: async ({ email, remoteAddress }, check) => {
      const network = networkOf(remoteAddress)
      const name = hashedName(email)
      const taken: Take[] = [
        [`login:address:${network}`, addressLimit],
        [`login:pair:${name}:${network}`, pairLimit]
      ]
      await take(...taken)
      return countWrong(taken, async () => {
        const ofAccount: Take = [`login:account:${name}`, accountLimit]
        const waitMs = await waitMsOf(ofAccount)
        if (waitMs === 0) taken.push(ofAccount)
        else if (!(await isKnownNetwork(email, network))) throw throttled(waitMs)
        return check()
      })
    },
    login: (email) =>
      take([`login:right:${hashedName(email)}`, loginsLimit, 'Too many logins of this account']),
    refresh: (sessionId) => {
      const why = 'Too many refreshes of this session'
      return take(
        [`refresh:minute:${sessionId}`, refreshLimit, why],
        [`refresh:day:${sessionId}`, refreshDayLimit, why]
      )
    },
    confirmation: async (token, check) => {
      const why = 'Too many wrong passwords for this registration: register again'
      const ofToken: Take = [`confirmation:${hashedName(token)}`, confirmationLimit, why]
      await take(ofToken)
      return countWrong([ofToken], check)
    },
    fromAddress: (remoteAddress) => take(addressTake(remoteAddress)),
    letter: async (attempt, kind) => {
      const { email, remoteAddress } = attempt
      const isKnown = await isKnownNetwork(email, networkOf(remoteAddress))
      await take(addressTake(remoteAddress), ...letterTakes(attempt, kind, isKnown))
    }
  }
}

/** Strangers cannot use up the letters of a person who asks from where they log in. */
function letterTakes({ email, remoteAddress }: Attempt, kind: string, isKnown: boolean): Take[] {
  const key = `letter:${kind}`
  const name = hashedName(email)
  const ofPair: Take = [`${key}:pair:${name}:${siteOf(remoteAddress)}`, pairLettersLimit]
  return isKnown ? [ofPair] : [ofPair, [`${key}:all:${name}`, lettersLimit]]
}
