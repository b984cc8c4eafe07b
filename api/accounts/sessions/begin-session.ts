/** A session begins: a row, the first of its refresh tokens, and nothing that was there before. */
import type { Clock } from '../../../core/clock.ts'
import { uuidv7 } from '../../../core/ids/ids.ts'
import { createToken, tokenDigestOf } from '../../../core/ids/opaque-token.ts'
import type { Queryable } from '../../../platform/postgres/postgres.ts'
import type { Call } from '../../../http/call.ts'
import { networkOf } from '../../../http/network-of.ts'

/** Each refresh moves the end so far away, */
export const idleSeconds = 30 * 86_400
/** and never farther than this from the login. */
export const absoluteSeconds = 90 * 86_400
/** That live, of one person; a login beyond them ends the oldest. */
export const sessionsMax = 1000
const userAgentCharsMax = 300

export interface NewSession {
  readonly user_id: string
  readonly organization_id: string
}

export interface BegunSession {
  readonly session_id: string
  readonly refresh_token: string
}

/** @param transaction of `store.accounts` */
export type BeginSession = (
  transaction: Queryable,
  call: Pick<Call, 'headers' | 'remote_address'>,
  session: NewSession
) => Promise<BegunSession>

export function createBeginSession(clock: Clock): BeginSession {
  return async function beginSession(transaction, call, { user_id, organization_id }) {
    const session_id = uuidv7(clock.now())
    const refresh_token = createToken('slr')
    const userAgent = call.headers['user-agent']?.slice(0, userAgentCharsMax) ?? null
    const address = call.remote_address === '' ? null : call.remote_address
    await endOldest(transaction, user_id)
    await transaction.query(
      `insert into sessions (session_id, user_id, organization_id, expires_at, ends_at,
                             user_agent, address, network)
       values ($1, $2, $3, now() + make_interval(secs => $4), now() + make_interval(secs => $5),
               $6, $7, $8)`,
      [
        ...[session_id, user_id, organization_id, idleSeconds, absoluteSeconds, userAgent],
        ...[address, address === null ? null : networkOf(address)]
      ]
    )
    await transaction.query(
      `insert into refresh_tokens (token_digest, session_id) values ($1, $2)`,
      [tokenDigestOf(refresh_token), session_id]
    )
    await transaction.query(`update users set last_organization_id = $2 where user_id = $1`, [
      ...[user_id, organization_id]
    ])
    return { session_id, refresh_token }
  }
}

async function endOldest(transaction: Queryable, userId: string): Promise<void> {
  await transaction.query(
    `update sessions set revoked_at = now(), revoked_reason = 'many'
      where session_id in (
        select session_id from sessions
         where user_id = $1 and revoked_at is null and expires_at > now()
         order by created_at desc, session_id desc offset $2)`,
    [userId, sessionsMax - 1]
  )
}
