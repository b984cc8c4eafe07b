/** What whoever logs in, registers or refreshes is answered. */
import { sessionSeconds } from '../../../platform/security/session-token.ts'
import type { SessionClaims, SessionTokens } from '../../../platform/security/session-token.ts'
import { objectOf, uuid } from '../../response-schemas.ts'
import { jsonHeaders } from '../../../http/call.ts'
import type { Reply } from '../../../http/call.ts'
import type { RefreshCookie } from './refresh-cookie.ts'

export interface SessionAnswer {
  readonly status: 200 | 201
  readonly claims: SessionClaims
  readonly refresh_token: string
  /** For a browser: the refresh token goes into its cookie, and not into the body. */
  readonly isCookie: boolean
  /** Members beside those that tell of the session. */
  readonly more?: Readonly<Record<string, unknown>>
}

export type AnswerSession = (answer: SessionAnswer) => Reply

export interface SessionAnswerDependencies {
  readonly sessionTokens: Pick<SessionTokens, 'sign'>
  readonly refreshCookie: Pick<RefreshCookie, 'given'>
}

export function createAnswerSession(dependencies: SessionAnswerDependencies): AnswerSession {
  const { sessionTokens, refreshCookie } = dependencies

  return function answerSession({ status, claims, refresh_token, isCookie, more = {} }) {
    const body = {
      access_token: sessionTokens.sign(claims),
      token_type: 'Bearer',
      expires_in: sessionSeconds,
      ...(isCookie ? {} : { refresh_token }),
      organization_id: claims.organization_id,
      ...more
    }
    const cookie = isCookie ? refreshCookie.given(refresh_token) : {}
    return { status, headers: { ...jsonHeaders, ...cookie }, body: JSON.stringify(body) }
  }
}

const { required, properties } = objectOf({
  access_token: { type: 'string', description: 'JWT, signed with ES256; valid for 15 minutes.' },
  token_type: { const: 'Bearer' },
  expires_in: { const: sessionSeconds, description: 'Seconds.' },
  organization_id: { ...uuid, description: 'The one that the session acts for.' }
})

export const sessionSchema = {
  type: 'object',
  required: required as readonly string[],
  properties: {
    ...(properties as object),
    refresh_token: {
      type: 'string',
      description: 'For POST /v1/auth/refresh, once. Absent where a cookie was asked for.'
    }
  }
}

export const sessionExample = {
  access_token: 'eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJzbHVpY2UifQ.c2lnbmF0dXJl',
  token_type: 'Bearer',
  expires_in: sessionSeconds,
  refresh_token: 'slr_2JX0PbVyQ4nUq1mT8sKd7fHg3wZc6rEoLi9vNaYbB5M',
  organization_id: '01938c4e-0000-7000-8000-5b7a9f002f6d'
}

export const sessionHeaders = {
  'Set-Cookie': 'The refresh token, where `cookie` asked for it: HttpOnly, SameSite=Strict.'
}

/** A member of the bodies that open a session. */
export const cookieSchema = {
  type: 'boolean',
  description: 'For browsers: the refresh token comes as a cookie, and not in the body.'
}
