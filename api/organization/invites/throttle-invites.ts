/** How many invites an organization may make, and how many may go to one address. */
import { siteOf } from '../../../http/network-of.ts'
import { createTries, hashedName } from '../../accounts/tries.ts'
import type { RateLimiter } from '../../../platform/rate-limit/rate-limiter.ts'

export interface InviteAttempt {
  readonly organizationId: string
  /** Normalized. */
  readonly email: string
  /** The address that the request to invite came from. */
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
  rateLimiter: Pick<RateLimiter, 'take' | 'giveBack'>,
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
  const to = hashedName(email)
  await createTries(rateLimiter).take(
    [`invites:${organizationId}`, ofDay, made],
    [`invites:to:${organizationId}:${to}`, ofHour, sent],
    [`invites:from:${site}:${to}`, ofHour, near],
    [`invites:to:${to}`, inAll, total]
  )
}
