/** Puts together the handlers of an organization. */
import type { Clock } from '../core/clock.ts'
import type { Mail } from '../platform/mail.ts'
import type { RateLimiter } from '../platform/rate-limiter.ts'
import type { SessionTokens } from '../platform/session-token.ts'
import type { LiveSessions } from './api/accounts/live-sessions.ts'
import { createAcceptInvite } from './api/organization/accept-invite.ts'
import type { ReadKeyCounts } from './api/organization/api-key-rows.ts'
import { createApiKeys } from './api/organization/api-keys.ts'
import { createInvites } from './api/organization/invites.ts'
import { createListAudit } from './api/organization/list-audit.ts'
import { createMembers } from './api/organization/members.ts'
import { createOrganization } from './api/organization/organization.ts'
import { createRotateKey } from './api/organization/rotate-api-key.ts'
import { createShowApiKeys } from './api/organization/show-api-keys.ts'
import { createSwitchOrganization } from './api/organization/switch-organization.ts'
import type { Store } from './api/store.ts'
import type { GatewayConfig } from './config.ts'
import type { OrganizationHandlers } from './organization-rows.ts'

export interface OrganizationParts {
  readonly config: GatewayConfig
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
  const { API_KEY_PEPPER: pepper, PUBLIC_URL: publicUrl } = parts.config
  const readKeyCounts: ReadKeyCounts = (...asked) => parts.readFacts.keyCounts(...asked)
  return {
    ...createOrganization(parts),
    switchOrganization: createSwitchOrganization(parts),
    ...createMembers(parts),
    ...createInvites({ ...parts, publicUrl }),
    acceptInvite: createAcceptInvite(parts),
    ...createShowApiKeys({ ...parts, readKeyCounts }),
    ...createApiKeys({ ...parts, pepper, readKeyCounts }),
    rotateKey: createRotateKey({ ...parts, pepper }),
    listAudit: createListAudit(parts)
  }
}
