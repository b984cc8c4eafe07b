/** Puts together the handlers of people and their sessions. */
import { createPrivateKey, randomBytes } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import { successionKeyOf } from '../../core/ids/opaque-token.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Mail } from '../../platform/process/mail.ts'
import type { RateLimiter } from '../../platform/rate-limit/rate-limiter.ts'
import type { SessionTokens } from '../../platform/security/session-token.ts'
import type { AccountHandlers } from './account-rows.ts'
import { createBeginSession } from './sessions/begin-session.ts'
import { createChangePassword } from './passwords/change-password.ts'
import { createCreatePerson } from './create-person.ts'
import { createForgottenPassword } from './passwords/forgotten-password.ts'
import { createIsKnownNetwork } from './sessions/known-network.ts'
import { createShowKeys } from './sessions/show-keys.ts'
import type { LiveSessions } from '../../auth/live-sessions.ts'
import { createLogin } from './sessions/login.ts'
import { createLogout } from './sessions/logout.ts'
import { createMe } from './me.ts'
import { passwords } from './passwords/passwords.ts'
import { createRefreshCookie } from './sessions/refresh-cookie.ts'
import { createRefresh } from './sessions/refresh.ts'
import { createRegister } from './register.ts'
import { createAnswerSession } from './sessions/session-answer.ts'
import { createSessions } from './sessions/sessions.ts'
import { createThrottle } from './throttle.ts'
import { createVerifyEmail } from './verify-email.ts'
import { createWhoami } from './whoami.ts'
import type { Store } from '../store.ts'

/** The signing key is null if no route of this process signs tokens. */
type AccountSettings = Config<'API_KEY_PEPPER' | 'PUBLIC_URL' | 'REGISTRATION'> & {
  readonly SESSION_SIGNING_KEY: string | null
}

export interface AccountParts {
  readonly config: AccountSettings
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
  const isKnownNetwork = createIsKnownNetwork(accounts)
  const throttle = createThrottle(rateLimiter, isKnownNetwork)
  const refreshCookie = createRefreshCookie(publicUrl)
  const answerSession = createAnswerSession({ sessionTokens, refreshCookie })
  const opening = { accounts, throttle, passwords, answerSession }
  const beginSession = createBeginSession(clock)
  const createPerson = createCreatePerson({ clock, pepper })
  const letters = { accounts, publicUrl, throttle, mail }
  const successionKey = successionKeyOf(secretOf(config.SESSION_SIGNING_KEY))
  return {
    ...createRegister({ ...opening, ...letters, registration, createPerson, beginSession }),
    login: createLogin({ ...opening, isKnownNetwork, beginSession }),
    refresh: createRefresh({ accounts, liveSessions, throttle, successionKey, answerSession }),
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
