/** How often somebody may try to log in: per account and per address, whether it worked or not. */
import { createHash } from 'node:crypto'
import { Problem } from '../../core/problem.ts'
import type { RateLimit, RateLimiter } from '../../platform/rate-limiter.ts'

export interface LoginAttempt {
  /** As the account has it: lower case, trimmed. */
  readonly email: string
  readonly remoteAddress: string
}

/** @throws {Problem} 429 with Retry-After */
export type ThrottleLogin = (attempt: LoginAttempt) => Promise<void>

const windowSeconds = 15 * 60
export const accountLimit: RateLimit = Object.freeze({ points: 10, windowSeconds })
export const addressLimit: RateLimit = Object.freeze({ points: 50, windowSeconds })

export function createThrottleLogin(rateLimiter: RateLimiter): ThrottleLogin {
  async function take(key: string, limit: RateLimit): Promise<void> {
    const { granted, resetMs } = await rateLimiter.take(key, limit, 1)
    if (granted < 1) throw throttled(Math.max(1, Math.ceil(resetMs / 1000)))
  }

  // The address first: one that is over its limit cannot use up the attempts of an account.
  return async function throttleLogin({ email, remoteAddress }) {
    await take(`login:address:${networkOf(remoteAddress)}`, addressLimit)
    await take(`login:account:${nameOf(email)}`, accountLimit)
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
