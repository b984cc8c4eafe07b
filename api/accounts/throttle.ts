/** Throttle: limits password guesses, token guesses, account emails and invites, by account and by
 * network.
 */
import { createHash } from 'node:crypto'
import { Problem } from '../../core/problem.ts'
import { networkOf, siteOf } from '../../http/network-of.ts'
import type { RateLimit, RateLimiter } from '../../platform/rate-limit/rate-limiter.ts'

interface AccountAttempt {
  /** Lower case, trimmed. */
  readonly email: string
  readonly remoteAddress: string
}

/**
 * Each method takes one attempt from each of its limits, and throws a 429 problem with Retry-After
 * if a limit is used up. `attempt` and `confirmation` give the attempts back unless the password is
 * wrong.
 */
export type Throttle = ReturnType<typeof createThrottle>

const windowSeconds = 15 * 60
/** Maximum number of wrong passwords for an account from one network. */
const pairLimit: RateLimit = Object.freeze({ points: 10, windowSeconds })
const addressLimit: RateLimit = Object.freeze({ points: 50, windowSeconds })
/**
 * Maximum number of wrong passwords for an account from all networks. When it is reached, only
 * networks with a recent login to the account can still try.
 */
const accountLimit: RateLimit = Object.freeze({ points: 100, windowSeconds })
/** Maximum number of successful logins to an account. */
export const loginsLimit: RateLimit = Object.freeze({ points: 200, windowSeconds })
/**
 * Maximum number of refresh tokens issued for a session. Each refresh adds a row that is kept as
 * long as the session.
 */
export const refreshLimit: RateLimit = Object.freeze({ points: 30, windowSeconds: 60 })
export const refreshDayLimit: RateLimit = Object.freeze({ points: 3000, windowSeconds: 86_400 })
/** Maximum number of wrong passwords for a registration token, which is valid for a day. */
export const confirmationLimit: RateLimit = Object.freeze({ points: 10, windowSeconds: 86_400 })
/** Maximum number of emails of one kind to an address, requested from one network. */
const pairEmailsLimit: RateLimit = Object.freeze({ points: 5, windowSeconds })
/**
 * Maximum number of emails of one kind to an address, requested from all networks. Higher than
 * `pairEmailsLimit`, so that a single network cannot use it up.
 */
const emailsLimit: RateLimit = Object.freeze({ points: 20, windowSeconds })
/** Maximum number of invites of an organization. */
export const invitesLimit: RateLimit = Object.freeze({ points: 100, windowSeconds: 86_400 })
/**
 * Maximum number of invites to one address from one organization or one network. Organizations have
 * separate limits, so that they cannot use up each other's invites.
 */
export const invitesToOneLimit: RateLimit = Object.freeze({ points: 5, windowSeconds: 3600 })
/**
 * Maximum number of invites to one address from all organizations. Anyone can create organizations,
 * so this limit protects strangers from unwanted emails.
 */
export const invitesToOneInAllLimit: RateLimit = Object.freeze({ points: 20, windowSeconds: 3600 })

/** `why` is the first sentence of the problem detail, without the full stop. */
type Take = readonly [key: string, limit: RateLimit, why?: string]

/**
 * Checks network limits before account limits, so that a network over its limit cannot use up an
 * account's attempts.
 * @param isKnownNetwork checks whether a user has recently logged in to an account from a network
 */
export function createThrottle(
  rateLimiter: Pick<RateLimiter, 'take' | 'giveBack'>,
  isKnownNetwork: (email: string, network: string) => Promise<boolean>
) {
  const { tryTake, take, countWrong } = createTries(rateLimiter)

  /**
   * Runs a password check and counts it if the password is wrong. Correct passwords do not count,
   * and neither do checks that throw.
   * @returns the result of `check`: false or null for a wrong password
   */
  async function attempt<T>(
    { email, remoteAddress }: AccountAttempt,
    check: () => Promise<T>
  ): Promise<T> {
    const network = networkOf(remoteAddress)
    const name = hashedName(email)
    const taken: Take[] = [
      [`login:address:${network}`, addressLimit],
      [`login:pair:${name}:${network}`, pairLimit]
    ]
    await take(...taken)
    return countWrong(taken, async () => {
      const ofAccount: Take = [`login:account:${name}`, accountLimit]
      const waitMs = await tryTake(ofAccount)
      if (waitMs === 0) taken.push(ofAccount)
      else if (!(await isKnownNetwork(email, network))) throw throttled(waitMs)
      return check()
    })
  }

  /**
   * Counts wrong passwords like `attempt`, but per registration token. Only callers who hold the
   * token can use up its attempts.
   */
  async function confirmation<T>(token: string, check: () => Promise<T>): Promise<T> {
    const why = 'Too many wrong passwords for this registration; register again for a new token'
    const ofToken: Take = [`confirmation:${hashedName(token)}`, confirmationLimit, why]
    await take(ofToken)
    return countWrong([ofToken], check)
  }

  return {
    attempt,
    confirmation,
    /** Counts a successful login. Each login writes rows, so successful logins are limited too. */
    login: (email: string) =>
      take([`login:right:${hashedName(email)}`, loginsLimit, 'Too many logins of this account']),
    /** Counts a refresh that issues a new refresh token. */
    refresh: (sessionId: string) => {
      const why = 'Too many refreshes of this session'
      return take(
        [`refresh:minute:${sessionId}`, refreshLimit, why],
        [`refresh:day:${sessionId}`, refreshDayLimit, why]
      )
    },
    /** Counts a use of an email token, or a new account, against the client's network. */
    fromAddress: (remoteAddress: string) => take(addressTake(remoteAddress)),
    /** Counts an account email to an address. Each kind of email has separate limits. */
    email: async (attempt: AccountAttempt, kind: 'account' | 'registration') => {
      const { email, remoteAddress } = attempt
      const isKnown = await isKnownNetwork(email, networkOf(remoteAddress))
      await take(addressTake(remoteAddress), ...emailTakes(attempt, kind, isKnown))
    },
    /** Counts an invite to an address. */
    invite: (attempt: AccountAttempt, organizationId: string) =>
      take(...inviteTakes(attempt, organizationId))
  }
}

function createTries(rateLimiter: Pick<RateLimiter, 'take' | 'giveBack'>) {
  /**
   * Takes one attempt.
   * @returns 0 if granted, else the milliseconds until the window ends
   */
  async function tryTake([key, limit]: Take): Promise<number> {
    const { granted, resetMs } = await rateLimiter.take(key, limit, 1)
    return granted < 1 ? Math.max(1, resetMs) : 0
  }

  function giveBack(taken: readonly Take[]): void {
    for (const [key, limit] of taken) rateLimiter.giveBack(key, limit, 1)
  }

  /**
   * Takes one attempt from each limit, in order. If a limit is used up, gives back the attempts
   * already taken.
   * @throws {Problem} 429 with Retry-After
   */
  async function take(...takes: readonly Take[]): Promise<void> {
    for (const [index, each] of takes.entries()) {
      const waitMs = await tryTake(each)
      if (waitMs === 0) continue
      giveBack(takes.slice(0, index))
      throw throttled(waitMs, each[2])
    }
  }

  /**
   * Runs `check`. Gives the attempts back unless `check` returns false or null (wrong password).
   */
  async function countWrong<T>(taken: readonly Take[], check: () => Promise<T>): Promise<T> {
    let isWrong = false
    try {
      const checked = await check()
      isWrong = checked === null || checked === false
      return checked
    } finally {
      if (!isWrong) giveBack(taken)
    }
  }

  return { tryTake, take, countWrong }
}

const usualWhy = 'Too many attempts for this account or from this address'

function throttled(waitMs: number, why = usualWhy): Problem {
  const seconds = Math.ceil(waitMs / 1000)
  return new Problem('login_throttled', {
    detail: `${why}. Retry in ${seconds} s.`,
    headers: { 'retry-after': String(seconds) }
  })
}

/**
 * Hashes an email address or token for use in a rate-limit key, so that Redis does not store it.
 */
function hashedName(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

function addressTake(remoteAddress: string): Take {
  return [`account:address:${networkOf(remoteAddress)}`, addressLimit]
}

/**
 * Returns the limits that apply to an email. Requests from a known network are exempt from
 * `emailsLimit`, so that strangers cannot block them.
 */
function emailTakes(
  { email, remoteAddress }: AccountAttempt,
  kind: string,
  isKnown: boolean
): Take[] {
  const key = `email:${kind}`
  const name = hashedName(email)
  const ofPair: Take = [`${key}:pair:${name}:${siteOf(remoteAddress)}`, pairEmailsLimit]
  return isKnown ? [ofPair] : [ofPair, [`${key}:all:${name}`, emailsLimit]]
}

/**
 * Returns the limits that apply to an invite. The limits of the organization and the network come
 * first, so that an organization over its limit cannot use up an address's limit across all
 * organizations.
 */
function inviteTakes({ email, remoteAddress }: AccountAttempt, organizationId: string): Take[] {
  const to = hashedName(email)
  const times = `has invited this address ${invitesToOneLimit.points} times in an hour`
  const ofDay = `The organization has made ${invitesLimit.points} invites in 24 hours`
  const inAll = `This address was invited ${invitesToOneInAllLimit.points} times in an hour`
  return [
    [`invites:${organizationId}`, invitesLimit, ofDay],
    [`invites:to:${organizationId}:${to}`, invitesToOneLimit, `The organization ${times}`],
    [`invites:from:${siteOf(remoteAddress)}:${to}`, invitesToOneLimit, `Your network ${times}`],
    [`invites:to:${to}`, invitesToOneInAllLimit, inAll]
  ]
}
