/** The refresh token of a browser: a cookie that no script reads and no other site sends. */
import type { IncomingHttpHeaders } from 'node:http'
import { tokenPattern } from '../../../core/ids/opaque-token.ts'
import { idleSeconds } from './begin-session.ts'

export interface RefreshCookie {
  /** Headers of an answer that gives the token to a browser. */
  given(refreshToken: string): Readonly<Record<string, string>>
  /** Headers of an answer that takes it away. */
  readonly cleared: Readonly<Record<string, string>>
}

const name = 'sluice_refresh'
const refreshTokenExpression = new RegExp(tokenPattern('slr'))

/** @param publicUrl PUBLIC_URL: with https the cookie is never sent without it. */
export function createRefreshCookie(publicUrl: string | null): RefreshCookie {
  const isSecure = publicUrl !== null && URL.parse(publicUrl)?.protocol === 'https:'
  const attributes = `Path=/v1/auth; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  const header = (value: string, seconds: number) => ({
    'set-cookie': `${name}=${value}; Max-Age=${seconds}; ${attributes}`
  })
  return { given: (token) => header(token, idleSeconds), cleared: header('', 0) }
}

/** Null without one that could be ours. */
export function refreshCookieOf(headers: IncomingHttpHeaders): string | null {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim())
  const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
  return value !== undefined && refreshTokenExpression.test(value) ? value : null
}
