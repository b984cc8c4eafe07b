/** authenticate a session: an Authorization header to the person behind its token. */
import { Problem } from '../../core/problem.ts'
import type { SessionTokens } from '../../platform/session-token.ts'
import {
  bearerChallenge,
  bearerTokenOf,
  invalidTokenChallenge,
  isApiKey
} from '../authentication/bearer.ts'
import type { SessionPrincipal } from '../call.ts'

/** @throws {Problem} 401 */
export type AuthenticateSession = (authorization: string | undefined) => SessionPrincipal

export function createAuthenticateSession(
  sessionTokens: Pick<SessionTokens, 'verify'>
): AuthenticateSession {
  return function authenticateSession(authorization) {
    const token = bearerTokenOf(authorization)
    if (token === null) throw sessionRequired('Send it as "Authorization: Bearer <access_token>".')
    if (isApiKey(token)) throw sessionRequired('This route takes no API key; log in instead.')
    const claims = sessionTokens.verify(token)
    if (claims !== null) return { kind: 'session', ...claims }
    throw new Problem('session_invalid', {
      detail: 'The access token is not one of ours, or its 15 minutes are over; log in again.',
      headers: invalidTokenChallenge
    })
  }
}

function sessionRequired(detail: string): Problem {
  return new Problem('session_required', { detail, headers: bearerChallenge })
}
