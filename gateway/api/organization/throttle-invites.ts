/** How many invites an organization may make: each may send a letter to anybody. */
import { Problem } from '../../../core/problem.ts'
import type { RateLimiter } from '../../../platform/rate-limiter.ts'

export const invitesPerDay = 100
const limit = Object.freeze({ points: invitesPerDay, windowSeconds: 86_400 })

/** @throws {Problem} 429 with Retry-After */
export async function throttleInvites(
  rateLimiter: Pick<RateLimiter, 'take'>,
  organizationId: string
): Promise<void> {
  const { granted, resetMs } = await rateLimiter.take(`invites:${organizationId}`, limit, 1)
  if (granted > 0) return
  const seconds = Math.max(1, Math.ceil(resetMs / 1000))
  throw new Problem('login_throttled', {
    detail: `The organization has made ${invitesPerDay} invites; try again in ${seconds} s.`,
    headers: { 'retry-after': String(seconds) }
  })
}
