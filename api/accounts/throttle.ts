/** How often somebody may try what guesses could open: per account and per address. */
import { createHash } from 'node:crypto'
import { Problem } from '../../core/problem.ts'
import type { RateLimit, RateLimiter } from '../../platform/rate-limit/rate-limiter.ts'

export interface Attempt {
  /** As the account has it: lower case, trimmed. */
  readonly email: string
  readonly remoteAddress: string
}

/** Each takes one try. @throws {Problem} 429 with Retry-After */
export interface Throttle {
  /** Of a password. */
  attempt(attempt: Attempt): Promise<void>
  /** It was the right one: what was taken for it is given back. */
  succeeded(attempt: Attempt): void
  /** Of a token that came by letter, or of an account that is new. */
  fromAddress(remoteAddress: string): Promise<void>
  /** Of a letter to somebody. */
  letter(attempt: Attempt): Promise<void>
}

const windowSeconds = 15 * 60
export const accountLimit: RateLimit = Object.freeze({ points: 10, windowSeconds })
export const addressLimit: RateLimit = Object.freeze({ points: 50, windowSeconds })
export const lettersLimit: RateLimit = Object.freeze({ points: 5, windowSeconds })

type Takes = readonly (readonly [key: string, limit: RateLimit])[]

export function createThrottle(rateLimiter: RateLimiter): Throttle {
  /** The address first: one that is over its limit cannot use up the attempts of an account. */
  async function take(takes: Takes): Promise<void> {
    for (const [key, limit] of takes) {
      const { granted, resetMs } = await rateLimiter.take(key, limit, 1)
      if (granted < 1) throw throttled(Math.max(1, Math.ceil(resetMs / 1000)))
    }
  }

  const passwordTakes = ({ email, remoteAddress }: Attempt): Takes => [
    [`login:address:${networkOf(remoteAddress)}`, addressLimit],
    [`login:account:${nameOf(email)}`, accountLimit]
  ]
  const addressTake = (remoteAddress: string) =>
    [`account:address:${networkOf(remoteAddress)}`, addressLimit] as const

  return {
    attempt: (attempt) => take(passwordTakes(attempt)),
    succeeded: (attempt) => {
      for (const [key, limit] of passwordTakes(attempt)) rateLimiter.giveBack(key, limit, 1)
    },
    fromAddress: (remoteAddress) => take([addressTake(remoteAddress)]),
    letter: ({ email, remoteAddress }) =>
      take([addressTake(remoteAddress), [`letter:account:${nameOf(email)}`, lettersLimit]])
  }
}

/** A hash, so that no list of addresses of people lies in Redis. */
function nameOf(email: string): string {
  return createHash('sha256').update(email).digest('base64url')
}

/** Who has one IPv6 address has 2^64 of them, so the network counts: its first four groups. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  if (!address.includes(':')) return address
  const [before = '', after] = (address.split('%')[0] ?? '').toLowerCase().split('::')
  const head = before === '' ? [] : before.split(':')
  const tail = after === undefined || after === '' ? [] : after.split(':')
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0')
  return [...head, ...zeros, ...tail].slice(0, 4).join(':')
}

function throttled(seconds: number): Problem {
  return new Problem('login_throttled', {
    detail: `Too many attempts for this account or from this address; try again in ${seconds} s.`,
    headers: { 'retry-after': String(seconds) }
  })
}
