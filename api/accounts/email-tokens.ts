/** Tokens that go to an address by letter: who has one reads letters there. */
import { createToken, tokenDigestOf } from '../../core/ids/opaque-token.ts'
import { Problem } from '../../core/problem.ts'
import type { Queryable, Row } from '../../platform/postgres/postgres.ts'

export type Purpose = keyof typeof kinds

/**
 * Anybody may ask for a letter to set a password: if it ended those before it, a stranger who asks
 * again and again would keep a person out. All of them end once one was used.
 */
const kinds = {
  verify_email: { prefix: 'sle', seconds: 3 * 86_400, isAlone: true },
  reset_password: { prefix: 'slp', seconds: 3600, isAlone: false }
} as const

/**
 * One statement that writes one row, whether the address is known or not: a commit that writes
 * takes longer than one that does not. Of those that are to be alone, the ones before it are over.
 * @returns the token, or null when no account has the address
 */
export async function issueEmailToken(
  transaction: Queryable,
  purpose: Purpose,
  email: string
): Promise<string | null> {
  const { prefix, seconds, isAlone } = kinds[purpose]
  const token = createToken(prefix)
  const [issued] = await transaction.query<{ user_id: string | null }>(
    `with person as (select user_id from users where email = $1),
     before as (
       update email_tokens set used_at = now()
        where user_id in (select user_id from person) and purpose = $2 and used_at is null and $5
     )
     insert into email_tokens (token_digest, user_id, purpose, email, expires_at)
     values ($3, (select user_id from person), $2, $1, now() + make_interval(secs => $4))
     returning user_id`,
    [email, purpose, tokenDigestOf(token), seconds, isAlone]
  )
  return typeof issued?.user_id === 'string' ? token : null
}

export interface TokenHolder extends Row {
  readonly user_id: string
  readonly email: string
}

/** Whose token it is, and it stays usable. @throws {Problem} 422 token_invalid */
export async function holderOf(
  accounts: Queryable,
  purpose: Purpose,
  token: string
): Promise<TokenHolder> {
  const rows = await accounts.query<TokenHolder>(
    `select t.user_id, t.email
       from email_tokens t join users u on u.user_id = t.user_id and u.email = t.email
      where t.token_digest = $1 and t.purpose = $2 and t.used_at is null and t.expires_at > now()`,
    [tokenDigestOf(token), purpose]
  )
  return found(rows)
}

/** Of two who use one at once, one waits and finds it used. @throws {Problem} 422 token_invalid */
export async function useEmailToken(
  transaction: Queryable,
  purpose: Purpose,
  token: string
): Promise<TokenHolder> {
  const rows = await transaction.query<TokenHolder>(
    `update email_tokens t set used_at = now()
       from users u
      where t.token_digest = $1 and t.purpose = $2 and t.used_at is null and t.expires_at > now()
        and u.user_id = t.user_id and u.email = t.email
      returning t.user_id, t.email`,
    [tokenDigestOf(token), purpose]
  )
  return found(rows)
}

function found(rows: readonly TokenHolder[]): TokenHolder {
  const [holder] = rows
  if (holder === undefined) throw tokenInvalid()
  return holder
}

/** The same for all that may be wrong with it. */
export function tokenInvalid(): Problem {
  const detail = 'The token is not known, was used, or its time is over; ask for another letter.'
  return new Problem('token_invalid', { detail })
}
