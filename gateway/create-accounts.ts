/** Puts together the handlers of people and their sessions. */
import { createPrivateKey, randomBytes } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import { successionKeyOf } from '../core/opaque-token.ts'
import type { Mail } from '../platform/mail.ts'
import type { RateLimiter } from '../platform/rate-limiter.ts'
import type { SessionTokens } from '../platform/session-token.ts'
import type { AccountHandlers } from './account-rows.ts'
import { createBeginSession } from './api/accounts/begin-session.ts'
import { createChangePassword } from './api/accounts/change-password.ts'
import { createCreatePerson } from './api/accounts/create-person.ts'
import { createForgottenPassword } from './api/accounts/forgotten-password.ts'
import { createShowKeys } from './api/accounts/show-keys.ts'
import type { LiveSessions } from './api/accounts/live-sessions.ts'
import { createLogin } from './api/accounts/login.ts'
import { createLogout } from './api/accounts/logout.ts'
import { createMe } from './api/accounts/me.ts'
import { passwords } from './api/accounts/passwords.ts'
import { createRefreshCookie } from './api/accounts/refresh-cookie.ts'
import { createRefresh } from './api/accounts/refresh.ts'
import { createRegister } from './api/accounts/register.ts'
import { createAnswerSession } from './api/accounts/session-answer.ts'
import { createSessions } from './api/accounts/sessions.ts'
import { createThrottle } from './api/accounts/throttle.ts'
import { createVerifyEmail } from './api/accounts/verify-email.ts'
import { createWhoami } from './api/accounts/whoami.ts'
import type { Store } from './api/store.ts'
import type { GatewayConfig } from './config.ts'

export interface AccountParts {
  readonly config: GatewayConfig
  readonly clock: Clock
  readonly rateLimiter: RateLimiter
  readonly store: Store
  readonly sessionTokens: SessionTokens
  readonly liveSessions: LiveSessions
  readonly mail: Pick<Mail, 'send'>
}

export function createAccounts(parts: AccountParts): AccountHandlers {
  const { config, clock, rateLimiter, store, sessionTokens, liveSessions, mail } = parts
  const { API_KEY_PEPPER: pepper, PUBLIC_URL: publicUrl, REGISTRATION: registration } = config
  const { accounts } = store
  const throttle = createThrottle(rateLimiter)
  const refreshCookie = createRefreshCookie(publicUrl)
  const answerSession = createAnswerSession({ sessionTokens, refreshCookie })
  const opening = { accounts, throttle, passwords, answerSession }
  const beginSession = createBeginSession(clock)
  const createPerson = createCreatePerson({ clock, pepper })
  const letters = { accounts, publicUrl, throttle, mail }
  const successionKey = successionKeyOf(secretOf(config.SESSION_SIGNING_KEY))
  return {
    register: createRegister({ ...opening, ...letters, registration, createPerson, beginSession }),
    login: createLogin({ ...opening, beginSession }),
    refresh: createRefresh({ accounts, liveSessions, successionKey, answerSession }),
    logout: createLogout({ accounts, liveSessions, refreshCookie }),
    ...createSessions({ accounts, liveSessions }),
    ...createMe({ accounts }),
    whoami: createWhoami({ accounts }),
    changePassword: createChangePassword({ accounts, liveSessions, throttle, passwords }),
    ...createForgottenPassword({ ...letters, liveSessions, passwords }),
    ...createVerifyEmail(letters),
    showKeys: createShowKeys(sessionTokens)
  }
}

/** The key itself, however its text is laid out: every gateway has to derive the same. */
function secretOf(signingKey: string | null): Buffer {
  if (signingKey === null) return randomBytes(32)
  return createPrivateKey(signingKey).export({ type: 'pkcs8', format: 'der' })
}
