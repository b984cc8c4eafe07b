/** How many invites an organization may make, and how many may go to one address. */
import { createHash } from 'node:crypto'
import { siteOf } from '../../../http/network-of.ts'
import { Problem } from '../../../core/problem.ts'
import type { RateLimit, RateLimiter } from '../../../platform/rate-limit/rate-limiter.ts'

export interface InviteAttempt {
  readonly organizationId: string
  /** Normalized. */
  readonly email: string
  /** Of whoever invites. */
  readonly remoteAddress: string
}

export const invitesPerDay = 100
/** Of one organization: its invites leave other organizations theirs to the same address. */
export const invitesToOnePerHour = 5
/**
 * Of all organizations together: each invite is an email to a person who may not know the sender,
 * and anybody may found organizations.
 */
export const invitesToOneInAllPerHour = 20

/** Limits of the organization come first: beyond them it cannot use up the total of an address. */
export async function throttleInvites(
  rateLimiter: Pick<RateLimiter, 'take'>,
  { organizationId, email, remoteAddress }: InviteAttempt
): Promise<void> {
  const ofDay = { points: invitesPerDay, windowSeconds: 86_400 }
  const ofHour = { points: invitesToOnePerHour, windowSeconds: 3600 }
  const inAll = { points: invitesToOneInAllPerHour, windowSeconds: 3600 }
  const made = `The organization has made ${invitesPerDay} invites`
  const sent = `The organization has invited this address ${invitesToOnePerHour} times in an hour`
  const site = siteOf(remoteAddress)
  const near = `Your network has invited this address ${invitesToOnePerHour} times in an hour`
  const total = `This address was invited ${invitesToOneInAllPerHour} times within an hour`
  const to = nameOf(email)
  await take(rateLimiter, { key: `invites:${organizationId}`, limit: ofDay, why: made })
  await take(rateLimiter, { key: `invites:to:${organizationId}:${to}`, limit: ofHour, why: sent })
  await take(rateLimiter, { key: `invites:from:${site}:${to}`, limit: ofHour, why: near })
  await take(rateLimiter, { key: `invites:to:${to}`, limit: inAll, why: total })
}

interface Take {
  readonly key: string
  readonly limit: RateLimit
  readonly why: string
}

/** @throws {Problem} 429 with Retry-After */
async function take(rateLimiter: Pick<RateLimiter, 'take'>, { key, limit, why }: Take) {
  const { granted, resetMs } = await rateLimiter.take(key, limit, 1)
  if (granted > 0) return
  const seconds = Math.max(1, Math.ceil(resetMs / 1000))
  throw new Problem('login_throttled', {
    detail: `${why}; try again in ${seconds} s.`,
    headers: { 'retry-after': String(seconds) }
  })
}

/** A hash, so that no list of addresses of people lies in Redis. */
function nameOf(email: string): string {
  return createHash('sha256').update(email).digest('base64url')
}
