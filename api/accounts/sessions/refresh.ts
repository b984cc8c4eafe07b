/** POST /v1/auth/refresh: a refresh token to a new access token and the token that follows it.
 *
 *     unused ──────────────────────────▶ used; its successor is stored
 *     used within the last 10 seconds ─▶ the same successor again, while nobody has used that
 *     used before that ────────────────▶ two hold it, and one of them is a thief: the session ends
 */
import { successorOf, tokenDigestOf } from '../../../core/ids/opaque-token.ts'
import { Problem } from '../../../core/problem.ts'
import type { ProblemCode } from '../../../core/problem.ts'
import type { Queryable } from '../../../platform/postgres/postgres.ts'
import type { Call } from '../../../http/call.ts'
import { bearerChallenge } from '../../../auth/bearer.ts'
import type { PublicHandle } from '../../../http/route.ts'
import { recordAudit } from '../../organization/record-audit.ts'
import type { AccountStore } from '../../store.ts'
import { idleSeconds } from './begin-session.ts'
import type { LiveSessions } from '../../../auth/live-sessions.ts'
import { refreshCookieOf } from './refresh-cookie.ts'
import { lockRefreshToken, readRefreshToken } from './refresh-token-row.ts'
import type { RefreshTokenRow } from './refresh-token-row.ts'
import type { AnswerSession } from './session-answer.ts'
import type { Throttle } from '../throttle.ts'

export interface RefreshDependencies {
  readonly accounts: AccountStore
  readonly liveSessions: Pick<LiveSessions, 'forget'>
  readonly throttle: Pick<Throttle, 'refresh'>
  readonly successionKey: Buffer
  readonly answerSession: AnswerSession
}

type Caller = Pick<Call, 'remote_address' | 'request_id'>

type Outcome =
  | { readonly kind: 'refreshed'; readonly row: RefreshTokenRow; readonly role: string }
  | { readonly kind: 'reused'; readonly row: RefreshTokenRow }
  | { readonly kind: 'invalid' }

export function createRefresh(dependencies: RefreshDependencies): PublicHandle {
  const { accounts, liveSessions, throttle, successionKey, answerSession } = dependencies

  /**
   * Counts only what writes a token. Tabs that refresh at once repeat one refresh, and a reuse must
   * always end the session, even if a thief uses up the limit.
   */
  async function limitRotations(token: string): Promise<void> {
    const successor = tokenDigestOf(successorOf(successionKey, token))
    const row = await readRefreshToken(accounts, tokenDigestOf(token), successor)
    if (row?.is_live && row.state === 'unused') await throttle.refresh(row.session_id)
  }

  /** A reuse is told by what it returns: thrown here, it would undo the end of the session. */
  async function redeem(transaction: Queryable, token: string, caller: Caller): Promise<Outcome> {
    const successor = tokenDigestOf(successorOf(successionKey, token))
    const row = await lockRefreshToken(transaction, tokenDigestOf(token), successor)
    if (row === null || !row.is_live || row.role === null) return { kind: 'invalid' }
    if (row.state === 'unused') await rotate(transaction, { token, successor, row })
    if (row.state !== 'reused') return { kind: 'refreshed', row, role: row.role }
    await endSession(transaction, row, caller)
    return { kind: 'reused', row }
  }

  return async function refresh(call) {
    const { headers } = call
    const given = (call.body as { refresh_token?: string }).refresh_token
    const token = given ?? refreshCookieOf(headers)
    if (token === null) throw refused('refresh_invalid', 'There is none in the body or the cookie.')
    await limitRotations(token)
    const outcome = await accounts.change((transaction) => redeem(transaction, token, call))
    if (outcome.kind === 'invalid') {
      throw refused('refresh_invalid', 'It is not known, or its session has ended; log in again.')
    }
    const { user_id, session_id, organization_id } = outcome.row
    if (outcome.kind === 'reused') {
      liveSessions.forget(user_id)
      const detail = 'It was used before, so the session was ended, for all who hold it; log in.'
      throw refused('refresh_reused', detail)
    }
    const claims = { user_id, session_id, organization_id, role: outcome.role }
    const refresh_token = successorOf(successionKey, token)
    return answerSession({ status: 200, claims, refresh_token, isCookie: given === undefined })
  }
}

interface Rotation {
  readonly token: string
  readonly successor: Buffer
  readonly row: RefreshTokenRow
}

async function rotate(
  transaction: Queryable,
  { token, successor, row: { session_id } }: Rotation
): Promise<void> {
  await transaction.query(
    `update refresh_tokens set used_at = clock_timestamp() where token_digest = $1`,
    [tokenDigestOf(token)]
  )
  await transaction.query(`insert into refresh_tokens (token_digest, session_id) values ($1, $2)`, [
    successor,
    session_id
  ])
  await transaction.query(
    `update sessions
        set last_used_at = now(), expires_at = least(now() + make_interval(secs => $2), ends_at)
      where session_id = $1`,
    [session_id, idleSeconds]
  )
}

/** Whose session it was finds in the audit log from where the second of the two came. */
async function endSession(
  transaction: Queryable,
  { session_id, user_id, organization_id: organizationId }: RefreshTokenRow,
  { remote_address, request_id: requestId }: Caller
): Promise<void> {
  await transaction.query(
    `update sessions set revoked_at = now(), revoked_reason = 'refresh_reused'
      where session_id = $1`,
    [session_id]
  )
  await recordAudit(transaction, {
    ...{ organizationId, actor: { kind: 'user', id: user_id }, requestId },
    ...{ action: 'session.ended', target: { kind: 'session', id: session_id } },
    details: { reason: 'refresh_reused', sessions: 1 },
    address: remote_address === '' ? null : remote_address
  })
}

function refused(code: ProblemCode, detail: string): Problem {
  return new Problem(code, { detail, headers: bearerChallenge })
}
