/** Puts together the handlers of people and their sessions. */
import { createPrivateKey, randomBytes } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import { successionKeyOf } from '../core/opaque-token.ts'
import type { RateLimiter } from '../platform/rate-limiter.ts'
import type { SessionTokens } from '../platform/session-token.ts'
import type { AccountHandlers } from './account-rows.ts'
import { createBeginSession } from './api/accounts/begin-session.ts'
import type { LiveSessions } from './api/accounts/live-sessions.ts'
import { createLogin } from './api/accounts/login.ts'
import { createLogout } from './api/accounts/logout.ts'
import { passwords } from './api/accounts/passwords.ts'
import { createRefreshCookie } from './api/accounts/refresh-cookie.ts'
import { createRefresh } from './api/accounts/refresh.ts'
import { createAnswerSession } from './api/accounts/session-answer.ts'
import { createSessions } from './api/accounts/sessions.ts'
import { createThrottle } from './api/accounts/throttle.ts'
import type { Store } from './api/store.ts'
import type { GatewayConfig } from './config.ts'

export interface AccountParts {
  readonly config: GatewayConfig
  readonly clock: Clock
  readonly rateLimiter: RateLimiter
  readonly store: Store
  readonly sessionTokens: SessionTokens
  readonly liveSessions: LiveSessions
}

export function createAccounts(parts: AccountParts): AccountHandlers {
  const { config, clock, rateLimiter, store, sessionTokens, liveSessions } = parts
  const { accounts } = store
  const throttle = createThrottle(rateLimiter)
  const beginSession = createBeginSession(clock)
  const refreshCookie = createRefreshCookie(config.PUBLIC_URL)
  const answerSession = createAnswerSession({ sessionTokens, refreshCookie })
  const successionKey = successionKeyOf(secretOf(config.SESSION_SIGNING_KEY))
  return {
    login: createLogin({ accounts, throttle, passwords, beginSession, answerSession }),
    refresh: createRefresh({ accounts, liveSessions, successionKey, answerSession }),
    logout: createLogout({ accounts, liveSessions, refreshCookie }),
    ...createSessions({ accounts, liveSessions })
  }
}

/** The key itself, however its text is laid out: every gateway has to derive the same. */
function secretOf(signingKey: string | null): Buffer {
  if (signingKey === null) return randomBytes(32)
  return createPrivateKey(signingKey).export({ type: 'pkcs8', format: 'der' })
}
