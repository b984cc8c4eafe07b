/** Tests session authentication: accepted credentials, and the errors for other credentials. */
import { expect, test } from '@jest/globals'
import { createAuthenticateSession } from '../../../auth/authenticate-session.ts'
import type { SessionClaims } from '../../../platform/security/session-token.ts'
import { claims, person, problemOf } from '../api/fakes.ts'

const roleOf = async ({ user_id }: SessionClaims) => (user_id === claims.user_id ? 'viewer' : null)
const authenticate = createAuthenticateSession({
  sessionTokens: {
    verify: (token) => {
      if (token === 'good.token.x') return claims
      return token === 'ended.token.x' ? { ...claims, user_id: 'gone' } : null
    }
  },
  liveSessions: { roleOf }
})

test.each(['Bearer good.token.x', 'bearer  good.token.x '])(
  'accepts "%s" and returns the current role',
  async (authorization) => {
    expect(await authenticate(authorization)).toEqual({ ...person, role: 'viewer' })
  }
)

test.each([
  [undefined, 'session_required', 'Bearer realm="sluice"'],
  ['', 'session_required', 'Bearer realm="sluice"'],
  ['good.token.x', 'session_required', 'Bearer realm="sluice"'],
  ['Basic Z29vZA==', 'session_required', 'Bearer realm="sluice"'],
  ['Bearer', 'session_required', 'Bearer realm="sluice"'],
  ['Bearer slk_local_abc', 'session_required', 'Bearer realm="sluice"'],
  ['Bearer a b', 'session_required', 'Bearer realm="sluice"'],
  ['Bearer ended.token.x', 'session_invalid', 'Bearer realm="sluice", error="invalid_token"'],
  ['Bearer expired.token.x', 'session_invalid', 'Bearer realm="sluice", error="invalid_token"']
])('refuses %j with %s', async (authorization, code, challenge) => {
  const problem = await problemOf(authenticate(authorization))
  expect(problem.code).toBe(code)
  expect(problem.status).toBe(401)
  expect(problem.options.headers).toEqual({ 'www-authenticate': challenge })
})
