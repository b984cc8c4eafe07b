/** Gets tokens from the API, and remembers in the browser that there is a session to resume. */
import { apiErrorOf, unreachable } from '../api/api-error.ts'
import { parseJson } from '../api/parse-json.ts'

export interface Tokens {
  readonly accessToken: string
  readonly expiresAtMs: number
  /** The user and the organization that the session acts for. Another tab may have changed them. */
  readonly owner: string
}

interface TokenResponse {
  readonly access_token: string
  readonly expires_in: number
  readonly organization_id: string
}

/** Posts to a route that returns an access token and sets the refresh cookie. */
export async function openTokens(...request: Parameters<typeof post>): Promise<Tokens> {
  return tokensOf(await post<TokenResponse>(...request))
}

/** Posts to a route that needs no session. */
export async function post<T>(
  path: string,
  body: object,
  signal: AbortSignal | null = null
): Promise<T> {
  const headers = { 'content-type': 'application/json' }
  const options = { method: 'POST', headers, body: JSON.stringify(body), signal }
  const response = await fetch(path, options).catch(() => {
    throw unreachable()
  })
  const text = await response.text()
  if (!response.ok) throw apiErrorOf(response.status, text, null)
  return parseJson<T>(text)
}

export function tokensOf(response: TokenResponse): Tokens {
  return {
    accessToken: response.access_token,
    expiresAtMs: Date.now() + response.expires_in * 1000,
    owner: `${subjectOf(response.access_token)} ${response.organization_id}`
  }
}

/** Returns the id of the user from the claims of an access token (RFC 7519). */
function subjectOf(accessToken: string): string {
  const claims = accessToken.split('.')[1] ?? ''
  return parseJson<{ sub: string }>(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))).sub
}

/**
 * Key of the mark that this browser has signed in. The mark is not secret. Without it, the console
 * skips the first refresh, which would fail. Scripts cannot read the cookie itself.
 */
const markName = 'sluice.session'

export function readMark(): boolean {
  return localStorage.getItem(markName) !== null
}

export function writeMark(isSignedIn: boolean): void {
  if (isSignedIn) localStorage.setItem(markName, '1')
  else localStorage.removeItem(markName)
}
