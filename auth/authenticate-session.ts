/** Authenticates a session: resolves an Authorization header to the user of its access token. */
import { Problem } from '../core/problem.ts'
import type { SessionTokens } from '../platform/security/session-token.ts'
import { knownCallers } from '../http/admission/known-callers.ts'
import { activeOrganizations } from '../http/admission/active-organizations.ts'
import { bearerChallenge, bearerTokenOf, invalidTokenChallenge, isApiKey } from './bearer.ts'
import type { SessionPrincipal } from '../core/principal.ts'
import type { LiveSessions } from './live-sessions.ts'

/** @throws {Problem} 401, or 503 if the session is not cached and the database is unavailable */
export type AuthenticateSession = (authorization: string | undefined) => Promise<SessionPrincipal>

interface AuthenticateSessionDependencies {
  readonly sessionTokens: Pick<SessionTokens, 'verify'>
  readonly liveSessions: Pick<LiveSessions, 'roleOf'>
}

export function createAuthenticateSession(
  dependencies: AuthenticateSessionDependencies
): AuthenticateSession {
  const { sessionTokens, liveSessions } = dependencies

  return async function authenticateSession(authorization) {
    const token = bearerTokenOf(authorization)
    if (token === null) throw sessionRequired('Send it as "Authorization: Bearer <access_token>".')
    if (isApiKey(token))
      throw sessionRequired('This route does not accept API keys. Log in and send an access token.')
    const claims = sessionTokens.verify(token)
    if (claims === null) {
      throw sessionInvalid(
        'The access token was not issued by this service, or it is older than 15 minutes'
      )
    }
    // The role may have changed since the token was issued.
    const role = await liveSessions.roleOf(claims)
    if (role === null) throw sessionInvalid(ended)
    activeOrganizations.note(claims.organization_id)
    if (authorization !== undefined) knownCallers.note(authorization, claims.organization_id)
    return { kind: 'session', ...claims, role }
  }
}

const ended = 'The session has ended, or you are no longer a member of its organization'

function sessionRequired(detail: string): Problem {
  return new Problem('session_required', { detail, headers: bearerChallenge })
}

function sessionInvalid(why: string): Problem {
  const detail = `${why}. Refresh it or log in again.`
  return new Problem('session_invalid', { detail, headers: invalidTokenChallenge })
}
