/** Puts together the handlers of an organization. */
import type { Clock } from '../../core/clock.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Mail } from '../../platform/process/mail.ts'
import type { RateLimiter } from '../../platform/rate-limit/rate-limiter.ts'
import type { SessionTokens } from '../../platform/security/session-token.ts'
import type { LiveSessions } from '../../auth/live-sessions.ts'
import { createAcceptInvite } from './invites/accept-invite.ts'
import type { ReadKeyCounts } from './keys/api-key-rows.ts'
import { createApiKeys } from './keys/api-keys.ts'
import { createInvites } from './invites/invites.ts'
import { createListAudit } from './list-audit.ts'
import { createMembers } from './members.ts'
import { createOrganization } from './organization.ts'
import { createRotateKey } from './keys/rotate-api-key.ts'
import { createShowApiKeys } from './keys/show-api-keys.ts'
import { createSwitchOrganization } from './switch-organization.ts'
import type { Store } from '../store.ts'
import type { OrganizationHandlers } from './organization-rows.ts'

export interface OrganizationParts {
  readonly config: Config<'API_KEY_PEPPER' | 'PUBLIC_URL' | 'REGISTRATION'>
  readonly store: Store
  readonly clock: Clock
  readonly rateLimiter: RateLimiter
  readonly sessionTokens: SessionTokens
  readonly liveSessions: LiveSessions
  readonly tellKeyChange: (keyId: string) => void
  readonly readFacts: { readonly keyCounts: ReadKeyCounts }
  readonly mail: Pick<Mail, 'send'>
}

export function createOrganizationHandlers(parts: OrganizationParts): OrganizationHandlers {
  const { API_KEY_PEPPER: pepper, PUBLIC_URL: publicUrl, REGISTRATION } = parts.config
  const readKeyCounts: ReadKeyCounts = (...asked) => parts.readFacts.keyCounts(...asked)
  return {
    ...createOrganization(parts),
    switchOrganization: createSwitchOrganization(parts),
    ...createMembers(parts),
    ...createInvites({ ...parts, publicUrl, isTokenShown: REGISTRATION !== 'open' }),
    acceptInvite: createAcceptInvite(parts),
    ...createShowApiKeys({ ...parts, readKeyCounts }),
    ...createApiKeys({ ...parts, pepper, readKeyCounts }),
    rotateKey: createRotateKey({ ...parts, pepper }),
    listAudit: createListAudit(parts)
  }
}
