/** Sessions: begins and revokes them, and responds with their tokens. */
import type { IncomingHttpHeaders } from 'node:http'
import { createToken, tokenDigestOf, tokenPattern } from '../../core/ids/opaque-token.ts'
import { reply } from '../../http/call.ts'
import type { Call, Reply } from '../../http/call.ts'
import type { Static } from '../../http/schema.ts'
import { networkOf } from '../../http/network-of.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import { query, sql } from '../../platform/postgres/sql.ts'
import { sessionSeconds } from '../../platform/security/session-token.ts'
import type { SessionClaims } from '../../platform/security/session-token.ts'
import type { Services } from '../services.ts'
import type { openedAccount, session } from './schemas.ts'

/** Session lifetime in seconds, counted from the last refresh. */
export const idleSeconds = 30 * 86_400
/** Maximum session lifetime in seconds, counted from the login. Refreshes do not extend it. */
const absoluteSeconds = 90 * 86_400
/** Maximum number of live sessions of a user. A login beyond the limit ends the oldest session. */
const sessionsMax = 1000
const userAgentCharsMax = 300

type SessionView = Static<typeof session>
export type Caller = Pick<Call, 'headers' | 'remote_address' | 'request_id'>

/**
 * Stores a new session.
 * @param transaction opened on `store.accounts`
 * @returns the session's first refresh token
 */
export async function beginSession(
  transaction: Queryable,
  { headers, remote_address }: Caller,
  { session_id, user_id, organization_id }: SessionClaims
): Promise<string> {
  const refreshToken = createToken('slr')
  const userAgent = headers['user-agent']?.slice(0, userAgentCharsMax) ?? null
  const address = remote_address === '' ? null : remote_address
  const network = address === null ? null : networkOf(address)
  await endOldest(transaction, user_id)
  await query(
    transaction,
    sql`insert into sessions (session_id, user_id, organization_id, expires_at, ends_at,
                              user_agent, address, network)
        values (${session_id}, ${user_id}, ${organization_id},
                now() + make_interval(secs => ${idleSeconds}),
                now() + make_interval(secs => ${absoluteSeconds}),
                ${userAgent}, ${address}, ${network})`
  )
  await query(
    transaction,
    sql`insert into refresh_tokens (token_digest, session_id)
        values (${tokenDigestOf(refreshToken)}, ${session_id})`
  )
  await query(
    transaction,
    sql`update users set last_organization_id = ${organization_id} where user_id = ${user_id}`
  )
  return refreshToken
}

async function endOldest(transaction: Queryable, userId: string): Promise<void> {
  await query(
    transaction,
    sql`update sessions set revoked_at = now(), revoked_reason = 'many'
         where session_id in (
           select session_id from sessions
            where user_id = ${userId} and revoked_at is null and expires_at > now()
            order by created_at desc, session_id desc offset ${sessionsMax - 1})`
  )
}

interface Revocation {
  readonly reason: 'logout' | 'password' | 'user'
  /** The only session to revoke. Default: all sessions. */
  readonly only?: string | null
  /** The session to keep. Default: none. */
  readonly except?: string | null
}

/**
 * Revokes sessions of a user. Gateways reject the access tokens of revoked sessions within seconds.
 * @returns the number of revoked sessions
 */
export async function revokeSessions(
  transaction: Queryable,
  userId: string,
  { reason, only = null, except = null }: Revocation
): Promise<number> {
  const revoked = await query(
    transaction,
    sql`update sessions set revoked_at = now(), revoked_reason = ${reason}
         where user_id = ${userId} and revoked_at is null and expires_at > now()
           and (${only}::uuid is null or session_id = ${only})
           and (${except}::uuid is null or session_id <> ${except})
        returning session_id`
  )
  return revoked.length
}

/**
 * Checks whether a user has logged in to an account from a network within the last
 * `absoluteSeconds`. Runs the same statement whether or not an account has the email address.
 * @param email lower case, trimmed
 * @param network as returned by `networkOf`
 */
export async function isKnownNetwork(accounts: Queryable, email: string, network: string) {
  const found = await query(
    accounts,
    sql`select 1 from users u join sessions s using (user_id)
         where u.email = ${email} and s.network = ${network}
           and s.created_at > now() - make_interval(secs => ${absoluteSeconds})
         limit 1`
  )
  return found.length > 0
}

/**
 * Creates the response to a login, registration or refresh.
 * @param begun the session and the headers of the request; with `isCookie`, its refresh token is in
 *   a cookie instead of the body
 * @param account the additional response members for a registration
 */
export function replyWithSession(
  { sessionTokens, config }: Services,
  begun: Pick<Caller, 'headers'> & {
    readonly claims: SessionClaims
    readonly refresh_token: string
    readonly isCookie: boolean
  },
  account?: Omit<Static<typeof openedAccount>, keyof SessionView>
): Reply {
  const { claims, refresh_token, isCookie, headers } = begun
  const body: SessionView = {
    access_token: sessionTokens.sign(claims),
    token_type: 'Bearer',
    expires_in: sessionSeconds,
    ...(isCookie ? {} : { refresh_token }),
    organization_id: claims.organization_id,
    ...account
  }
  const answer = reply(account === undefined ? 200 : 201, body)
  return isCookie ? withRefreshCookie(answer, isOverTls(config, headers), refresh_token) : answer
}

const refreshTokenExpression = new RegExp(tokenPattern('slr'))

/**
 * Checks whether the browser uses https. A proxy may end TLS, and PUBLIC_URL may not be set, so
 * the origin of the page that sent the request also counts.
 */
export function isOverTls(
  { PUBLIC_URL }: Pick<Services['config'], 'PUBLIC_URL'>,
  { origin }: IncomingHttpHeaders
): boolean {
  return [PUBLIC_URL, origin].some((url) => URL.parse(url ?? '')?.protocol === 'https:')
}

/**
 * Returns the name and the path of the cookie. Over TLS, the prefix `__Host-` makes browsers reject
 * a cookie that another host of the same domain sets; it requires this path.
 */
function cookieOf(isSecure: boolean) {
  return isSecure
    ? { name: '__Host-sluice_refresh', path: '/' }
    : { name: 'sluice_refresh', path: '/v1/auth' }
}

/**
 * Sets the refresh-token cookie, which is HttpOnly and SameSite=Strict.
 * @param refreshToken null deletes the cookie
 */
export function withRefreshCookie(
  answer: Reply,
  isSecure: boolean,
  refreshToken: string | null
): Reply {
  const { name, path } = cookieOf(isSecure)
  const attributes = `Path=${path}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  const seconds = refreshToken === null ? 0 : idleSeconds
  const cookie = `${name}=${refreshToken ?? ''}; Max-Age=${seconds}; ${attributes}`
  return { ...answer, headers: { ...answer.headers, 'set-cookie': cookie } }
}

/**
 * Returns the well-formed refresh tokens in the cookies. More than one means that another host of
 * the same domain has set a cookie for this one.
 */
export function refreshCookiesOf(
  headers: IncomingHttpHeaders,
  isSecure: boolean
): readonly string[] {
  const start = `${cookieOf(isSecure).name}=`
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim())
  const named = pairs.filter((pair) => pair.startsWith(start))
  const tokens = named.map((pair) => pair.slice(start.length))
  return tokens.filter((token) => refreshTokenExpression.test(token))
}
