/** POST /v1/auth/refresh: exchanges a refresh token for new tokens.
 *
 *     unused ──────────────────────────────▶ used; its successor is stored
 *     used within 10 s, successor unused ──▶ the same successor again
 *     used otherwise ──────────────────────▶ counts as theft: the session ends
 */
import { createPrivateKey, randomBytes } from 'node:crypto'
import { bearerChallenge } from '../../auth/bearer.ts'
import { successionKeyOf, successorOf, tokenDigestOf } from '../../core/ids/opaque-token.ts'
import { Problem } from '../../core/problem.ts'
import type { Reply } from '../../http/call.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import { query, sql } from '../../platform/postgres/sql.ts'
import { originOf, recordAudit } from '../organization/record-audit.ts'
import type { Services } from '../services.ts'
import { idleSeconds, isOverTls, refreshCookiesOf, replyWithSession } from './sessions.ts'
import type { Caller } from './sessions.ts'

/**
 * Grace period in seconds during which a used token is still accepted, for a second browser tab or
 * a retry after a lost response.
 */
export const raceSeconds = 10

/**
 * Derives the key from the parsed signing key, not from its PEM text, so that all gateways derive
 * the same key even if their PEM files are formatted differently. Without a signing key, the
 * derived key is random.
 */
export function createSuccessionKey(signingKey: string | null): Buffer {
  if (signingKey === null) return successionKeyOf(randomBytes(32))
  return successionKeyOf(createPrivateKey(signingKey).export({ type: 'pkcs8', format: 'der' }))
}

/** The digests of a refresh token and of its successor. */
interface Token {
  readonly digest: Buffer
  readonly successor: Buffer
}

export async function refresh(
  call: Caller & { readonly body: { readonly refresh_token?: string } },
  services: Services
): Promise<Reply> {
  const { store, liveSessions, successionKey, config } = services
  const sent = call.body.refresh_token
  const isSecure = isOverTls(config, call.headers)
  const [text, other] = sent === undefined ? refreshCookiesOf(call.headers, isSecure) : [sent]
  if (text === undefined || other !== undefined) {
    const detail =
      other === undefined
        ? 'The request has no refresh token, neither in the body nor in the cookie.'
        : 'The request has more than one refresh cookie, and another host may have set one of ' +
          'them. Delete the cookies of this site and log in again.'
    throw new Problem('refresh_invalid', { detail, headers: bearerChallenge })
  }
  const refresh_token = successorOf(successionKey, text)
  const token = { digest: tokenDigestOf(text), successor: tokenDigestOf(refresh_token) }
  await limitRotations(services, token)
  const { state, claims } = await store.accounts.change((transaction) =>
    redeem(transaction, token, call)
  )
  if (state === 'invalid') {
    const detail = 'The refresh token is unknown, or its session has ended. Log in again.'
    throw new Problem('refresh_invalid', { detail, headers: bearerChallenge })
  }
  if (state === 'reused') {
    liveSessions.forget(claims.user_id)
    const detail =
      'The refresh token was used before, so its session was ended for all clients. Log in ' +
      'again.'
    throw new Problem('refresh_reused', { detail, headers: bearerChallenge })
  }
  return replyWithSession(services, {
    claims,
    refresh_token,
    isCookie: sent === undefined,
    headers: call.headers
  })
}

/**
 * Limits only refreshes with an unused token, so that a repeat from another browser tab does not
 * count. Reuse is not limited, because it must always end the session.
 */
async function limitRotations({ store, throttle }: Services, token: Token): Promise<void> {
  const row = await readRefreshToken(store.accounts, token)
  if (row?.is_live && row.state === 'unused') await throttle.refresh(row.session_id)
}

interface RefreshTokenRow {
  readonly session_id: string
  readonly user_id: string
  readonly organization_id: string
  /** The user's current role in the organization; null if the user is no longer a member. */
  readonly role: string | null
  readonly is_live: boolean
  /** `repeated`: used within the last `raceSeconds`, and its successor is still unused. */
  readonly state: 'unused' | 'repeated' | 'reused'
}

async function readRefreshToken(accounts: Queryable, { digest, successor }: Token) {
  const [row] = await query<RefreshTokenRow>(
    accounts,
    sql`select s.session_id, s.user_id, s.organization_id, m.role,
               s.revoked_at is null and s.expires_at > clock_timestamp()
                 and s.ends_at > clock_timestamp() as is_live,
               case when t.used_at is null then 'unused'
                    when t.used_at > clock_timestamp() - make_interval(secs => ${raceSeconds})
                         and next.token_digest is not null and next.used_at is null
                    then 'repeated'
                    else 'reused' end as state
          from refresh_tokens t
          join sessions s using (session_id)
          left join memberships m
            on m.user_id = s.user_id and m.organization_id = s.organization_id
          left join refresh_tokens next on next.token_digest = ${successor}
         where t.token_digest = ${digest}`
  )
  return row
}

/**
 * Locks the session, so that its concurrent refreshes run one after the other, and uses the token.
 * Reports reuse in the result instead of throwing, because an error would roll back the revocation
 * of the session.
 */
async function redeem(transaction: Queryable, token: Token, caller: Caller) {
  const locked = await query(
    transaction,
    sql`select s.session_id from sessions s
         where s.session_id = (
           select session_id from refresh_tokens where token_digest = ${token.digest})
           for no key update`
  )
  const row = locked.length === 0 ? undefined : await readRefreshToken(transaction, token)
  if (!row?.is_live || row.role === null) return { state: 'invalid' } as const
  const { state, user_id, organization_id, session_id, role } = row
  if (state === 'unused') await rotate(transaction, token, session_id)
  if (state === 'reused') await endSession(transaction, row, caller)
  return { state, claims: { user_id, organization_id, session_id, role } }
}

async function rotate(transaction: Queryable, { digest, successor }: Token, sessionId: string) {
  await query(
    transaction,
    sql`update refresh_tokens set used_at = clock_timestamp() where token_digest = ${digest}`
  )
  await query(
    transaction,
    sql`insert into refresh_tokens (token_digest, session_id) values (${successor}, ${sessionId})`
  )
  await query(
    transaction,
    sql`update sessions
           set last_used_at = now(),
               expires_at = least(now() + make_interval(secs => ${idleSeconds}), ends_at)
         where session_id = ${sessionId}`
  )
}

/** Ends the session. The audit entry records the address that the reused token came from. */
async function endSession(transaction: Queryable, row: RefreshTokenRow, caller: Caller) {
  const { session_id, user_id, organization_id } = row
  await query(
    transaction,
    sql`update sessions set revoked_at = now(), revoked_reason = 'refresh_reused'
         where session_id = ${session_id}`
  )
  await recordAudit(transaction, originOf(caller, user_id, organization_id), {
    action: 'session.ended',
    id: session_id,
    details: { reason: 'refresh_reused', sessions: 1 }
  })
}
