/** Email tokens: single-use tokens that verify an address, reset a password or confirm a
 * registration.
 */
import { createToken, tokenDigestOf } from '../../core/ids/opaque-token.ts'
import { Problem } from '../../core/problem.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import { query, sql } from '../../platform/postgres/sql.ts'

type Purpose = keyof typeof kinds

/**
 * With `isAlone`, a new token invalidates the user's earlier tokens of the same kind. This is off
 * for password resets: anyone can request one, so a stranger could lock a user out by repeating the
 * request. Using one reset token invalidates all of them.
 */
const kinds = {
  verify_email: { prefix: 'sle', seconds: 3 * 86_400, isAlone: true },
  reset_password: { prefix: 'slp', seconds: 3600, isAlone: false }
} as const

/**
 * Creates an email token. A single statement always inserts exactly one row, even if no account has
 * the address, so that the response time does not reveal whether an account exists.
 * @returns the token, or null if no account has the address
 */
export async function issueEmailToken(
  transaction: Queryable,
  purpose: Purpose,
  email: string
): Promise<string | null> {
  const { prefix, seconds, isAlone } = kinds[purpose]
  const token = createToken(prefix)
  const [issued] = await query<{ user_id: string | null }>(
    transaction,
    sql`with account as (select user_id from users where email = ${email}),
        before as (
          update email_tokens set used_at = now()
           where user_id in (select user_id from account) and purpose = ${purpose}
             and used_at is null and ${isAlone}
        )
        insert into email_tokens (token_digest, user_id, purpose, email, expires_at)
        values (${tokenDigestOf(token)}, (select user_id from account), ${purpose}, ${email},
                now() + make_interval(secs => ${seconds}))
        returning user_id`
  )
  return typeof issued?.user_id === 'string' ? token : null
}

type TokenHolder = { readonly user_id: string; readonly email: string }

/**
 * Returns the owner of a token without using up the token.
 * @throws {Problem} 422 token_invalid
 */
export async function readHolder(
  accounts: Queryable,
  purpose: Purpose,
  token: string
): Promise<TokenHolder> {
  const rows = await query<TokenHolder>(
    accounts,
    sql`select t.user_id, t.email
          from email_tokens t join users u on u.user_id = t.user_id and u.email = t.email
         where t.token_digest = ${tokenDigestOf(token)} and t.purpose = ${purpose}
           and t.used_at is null and t.expires_at > now()`
  )
  return requireValid(rows)
}

/**
 * Uses up a token. If two requests use the same token concurrently, one of them fails.
 * @throws {Problem} 422 token_invalid
 */
export async function useEmailToken(
  transaction: Queryable,
  purpose: Purpose,
  token: string
): Promise<TokenHolder> {
  const rows = await query<TokenHolder>(
    transaction,
    sql`update email_tokens t set used_at = now()
          from users u
         where t.token_digest = ${tokenDigestOf(token)} and t.purpose = ${purpose}
           and t.used_at is null and t.expires_at > now()
           and u.user_id = t.user_id and u.email = t.email
        returning t.user_id, t.email`
  )
  return requireValid(rows)
}

/** Marks a user's address as verified, because a token has proved that the user owns it. */
export async function markVerified(transaction: Queryable, userId: string): Promise<void> {
  await query(
    transaction,
    sql`update users set email_verified_at = coalesce(email_verified_at, now())
         where user_id = ${userId}`
  )
}

/** Number of hours within which a registration can be confirmed. */
export const registrationHours = 24

export interface Registration {
  /** Lower case, trimmed. */
  readonly email: string
  readonly password_hash: string
  readonly name: string | null
  readonly organization_name: string
  readonly create_key: boolean
}

/**
 * Stores a registration. A single statement writes one row even if an account already has the
 * address, so that the response time does not reveal whether an account exists.
 */
export async function insertRegistration(
  transaction: Queryable,
  { email, password_hash, name, organization_name, create_key }: Registration
): Promise<{ readonly token: string; readonly isTaken: boolean }> {
  const token = createToken('slc')
  const taken = await query(
    transaction,
    sql`with registration as (
          insert into registrations (token_digest, email, password_hash, name, organization_name,
                                     create_key, expires_at)
          values (${tokenDigestOf(token)}, ${email}, ${password_hash}, ${name},
                  ${organization_name}, ${create_key},
                  now() + make_interval(hours => ${registrationHours}))
        )
        select 1 from users where email = ${email}`
  )
  return { token, isTaken: taken.length > 0 }
}

/**
 * Returns the hash of the registered password without using up the token.
 * @throws {Problem} 422 token_invalid
 */
export async function readRegisteredHash(accounts: Queryable, token: string): Promise<string> {
  const rows = await query<Pick<Registration, 'password_hash'>>(
    accounts,
    sql`select password_hash from registrations
         where token_digest = ${tokenDigestOf(token)} and expires_at > now()`
  )
  return requireValid(rows).password_hash
}

/**
 * Uses up a registration token. If two requests use the same token concurrently, one of them fails.
 * @throws {Problem} 422 token_invalid
 */
export async function useRegistration(
  transaction: Queryable,
  token: string
): Promise<Registration> {
  const rows = await query<Registration>(
    transaction,
    sql`delete from registrations
         where token_digest = ${tokenDigestOf(token)} and expires_at > now()
        returning email, password_hash, name, organization_name, create_key`
  )
  return requireValid(rows)
}

/** Returns the row of a token. Throws the same problem for unknown, used and expired tokens. */
function requireValid<R>([row]: readonly R[]): R {
  if (row !== undefined) return row
  const detail = 'The token is invalid, already used or expired. Request a new email.'
  throw new Problem('token_invalid', { detail })
}
