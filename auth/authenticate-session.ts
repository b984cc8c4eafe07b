/** authenticate a session: an Authorization header to the person behind its token. */
import { Problem } from '../core/problem.ts'
import type { SessionTokens } from '../platform/security/session-token.ts'
import { knownCallers } from '../http/admission/known-callers.ts'
import { neighbours } from '../http/admission/neighbours.ts'
import { bearerChallenge, bearerTokenOf, invalidTokenChallenge, isApiKey } from './bearer.ts'
import type { SessionPrincipal } from '../core/principal.ts'
import type { LiveSessions } from './live-sessions.ts'

/** @throws {Problem} 401, or 503 while nobody knows whether the session was ended */
export type AuthenticateSession = (authorization: string | undefined) => Promise<SessionPrincipal>

export interface AuthenticateSessionDependencies {
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
    if (isApiKey(token)) throw sessionRequired('This route takes no API key; log in instead.')
    const claims = sessionTokens.verify(token)
    if (claims === null) {
      throw sessionInvalid('The access token is not one of ours, or its 15 minutes are over')
    }
    // The role that was signed may have been taken away since.
    const role = await liveSessions.roleOf(claims)
    if (role === null) throw sessionInvalid(ended)
    neighbours.note(claims.organization_id)
    if (authorization !== undefined) knownCallers.note(authorization, claims.organization_id)
    return { kind: 'session', ...claims, role }
  }
}

const ended = 'The session was ended, or you are no member of its organization any more'

function sessionRequired(detail: string): Problem {
  return new Problem('session_required', { detail, headers: bearerChallenge })
}

function sessionInvalid(why: string): Problem {
  const detail = `${why}; refresh it or log in again.`
  return new Problem('session_invalid', { detail, headers: invalidTokenChallenge })
}
