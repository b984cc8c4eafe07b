/** Registrations that wait until the token of their email comes back. */
import { createToken, tokenDigestOf } from '../../core/ids/opaque-token.ts'
import type { Queryable, Row } from '../../platform/postgres/postgres.ts'
import { tokenInvalid } from './email-tokens.ts'

export const registrationHours = 24

export interface Registration extends Row {
  /** Normalized. */
  readonly email: string
  readonly password_hash: string
  readonly name: string | null
  readonly organization_name: string
  readonly create_key: boolean
}

/** One statement that writes one row, whether the email is taken or not. */
export async function insertRegistration(
  transaction: Queryable,
  registration: Registration
): Promise<{ readonly token: string; readonly isTaken: boolean }> {
  const { email, password_hash, name, organization_name, create_key } = registration
  const token = createToken('slc')
  const taken = await transaction.query(
    `with registration as (
       insert into registrations (token_digest, email, password_hash, name, organization_name,
                                  create_key, expires_at)
       values ($1, $2, $3, $4, $5, $6, now() + make_interval(hours => $7))
     )
     select 1 from users where email = $2`,
    [
      ...[tokenDigestOf(token), email, password_hash, name, organization_name, create_key],
      registrationHours
    ]
  )
  return { token, isTaken: taken.length > 0 }
}

/**
 * The hash of the password that was registered. The token stays valid.
 * @throws {Problem} 422 token_invalid
 */
export async function readRegisteredHash(accounts: Queryable, token: string): Promise<string> {
  const [registration] = await accounts.query<Pick<Registration, 'password_hash'>>(
    `select password_hash from registrations where token_digest = $1 and expires_at > now()`,
    [tokenDigestOf(token)]
  )
  if (registration === undefined) throw tokenInvalid()
  return registration.password_hash
}

/**
 * Of two who use a token at once, one waits and finds it used.
 * @throws {Problem} 422 token_invalid
 */
export async function useRegistration(
  transaction: Queryable,
  token: string
): Promise<Registration> {
  const [registration] = await transaction.query<Registration>(
    `delete from registrations where token_digest = $1 and expires_at > now()
     returning email, password_hash, name, organization_name, create_key`,
    [tokenDigestOf(token)]
  )
  if (registration === undefined) throw tokenInvalid()
  return registration
}
