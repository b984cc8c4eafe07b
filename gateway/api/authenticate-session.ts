/** authenticate a session: an Authorization header to the person behind its token. */
import { Problem } from '../../core/problem.ts'
import type { SessionTokens } from '../../platform/session-token.ts'
import type { SessionPrincipal } from '../call.ts'

/** @throws {Problem} 401 */
export type AuthenticateSession = (authorization: string | undefined) => SessionPrincipal

const bearerExpression = /^bearer +(\S+) *$/i
const apiKeyPrefix = 'slk_'
const challenge = Object.freeze({ 'www-authenticate': 'Bearer realm="sluice"' })
const invalidToken = Object.freeze({
  'www-authenticate': 'Bearer realm="sluice", error="invalid_token"'
})

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
      headers: invalidToken
    })
  }
}

/** The token of a Bearer credential, or null when there is none. */
export function bearerTokenOf(authorization: string | undefined): string | null {
  return bearerExpression.exec(authorization ?? '')?.[1] ?? null
}

/** By its prefix alone: whether it is valid is for others to say. */
export function isApiKey(token: string): boolean {
  return token.startsWith(apiKeyPrefix)
}

function sessionRequired(detail: string): Problem {
  return new Problem('session_required', { detail, headers: challenge })
}
