/** Passwords: hashes and verifies them, checks new ones, and changes them with either the current
 * password or a token from a reset email.
 */
import { passwordObjection } from '../../core/account-rules.ts'
import type { SessionPrincipal } from '../../core/principal.ts'
import { Problem } from '../../core/problem.ts'
import type { Static } from '../../http/schema.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import { query, sql } from '../../platform/postgres/sql.ts'
import {
  hashPassword,
  PasswordsBusyError,
  verifyPassword
} from '../../platform/security/password.ts'
import { invalidBody, refuseBody, violationAt } from '../configuration/problems.ts'
import { auditOriginOf, originOf, recordAudit } from '../organization/record-audit.ts'
import type { Services } from '../services.ts'
import { markVerified, readHolder, useEmailToken } from './email-tokens.ts'
import type { passwordChange, passwordReset } from './schemas.ts'
import { revokeSessions } from './sessions.ts'
import type { Caller } from './sessions.ts'

export const passwords = createPasswords({ verifyPassword, hashPassword })

/**
 * Creates functions that hash and verify passwords. They throw a 503 problem if too many passwords
 * are waiting to be hashed.
 */
export function createPasswords(hashing: {
  readonly verifyPassword: typeof verifyPassword
  readonly hashPassword: typeof hashPassword
}): Services['passwords'] {
  return {
    verify: (...args) => refuseBusy(hashing.verifyPassword(...args)),
    hash: (...args) => refuseBusy(hashing.hashPassword(...args))
  }
}

async function refuseBusy<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    if (!(cause instanceof PasswordsBusyError)) throw cause
    throw new Problem('overloaded', {
      detail: 'Too many logins are in progress. Retry shortly.',
      headers: { 'retry-after': '2' },
      cause
    })
  }
}

/**
 * @param email lower case, trimmed
 * @throws {Problem} 422 if the new password is not acceptable
 */
function refuseNewPassword(password: string, email: string): void {
  refuseBody(violationAt('/new_password', passwordObjection(password, email)))
}

/** @returns the number of sessions ended: all of the user's except the current one */
export async function changePassword(
  call: Caller & {
    readonly principal: SessionPrincipal
    readonly body: Static<typeof passwordChange>
  },
  { store: { accounts }, liveSessions, throttle, passwords }: Services
): Promise<number> {
  const { user_id, session_id } = call.principal
  const { current_password, new_password } = call.body
  const { email, password_hash: before } = await readAccount(accounts, user_id)
  refuseNewPassword(new_password, email)
  // A wrong password counts against the login limits, so that a stolen session cannot bypass them.
  const attempt = { email, remoteAddress: call.remote_address }
  const isRight = await throttle.attempt(attempt, () => passwords.verify(before, current_password))
  if (!isRight) {
    throw invalidBody([{ pointer: '/current_password', detail: 'is not your password' }])
  }
  const password_hash = await passwords.hash(new_password)
  const ended = await accounts.change(async (transaction) => {
    await setPassword(transaction, { user_id, password_hash, before })
    const sessions_ended = await revokeSessions(transaction, user_id, {
      reason: 'password',
      except: session_id
    })
    await recordAudit(transaction, auditOriginOf(call), {
      action: 'password.changed',
      kind: 'user',
      id: user_id,
      details: { sessions_ended }
    })
    return sessions_ended
  })
  liveSessions.forget(user_id)
  return ended
}

/** @returns the number of sessions ended: all sessions of the user */
export async function resetPassword(
  call: Caller & { readonly body: Static<typeof passwordReset> },
  { store: { accounts }, liveSessions, throttle, passwords }: Services
): Promise<number> {
  const { token, new_password } = call.body
  await throttle.fromAddress(call.remote_address)
  // Hashing is slow, so it runs outside the transaction: the token is read here and used up below.
  const { user_id, email } = await readHolder(accounts, 'reset_password', token)
  refuseNewPassword(new_password, email)
  const password_hash = await passwords.hash(new_password)
  const ended = await accounts.change(async (transaction) => {
    // Locks the user before the token is used, in the same order as a password change, to avoid
    // deadlocks.
    await query(transaction, sql`select from users where user_id = ${user_id} for no key update`)
    await useEmailToken(transaction, 'reset_password', token)
    await setPassword(transaction, { user_id, password_hash, before: null })
    await markVerified(transaction, user_id)
    const sessionsEnded = await revokeSessions(transaction, user_id, { reason: 'password' })
    await recordReset(transaction, call, user_id)
    return sessionsEnded
  })
  liveSessions.forget(user_id)
  return ended
}

async function readAccount(accounts: Queryable, userId: string) {
  const select = sql`select email, password_hash from users where user_id = ${userId}`
  const [account] = await query<{ email: string; password_hash: string }>(accounts, select)
  if (account === undefined) throw new Error('the user of the session does not exist')
  return account
}

/**
 * Stores the hash and invalidates all password-reset tokens.
 * @param change `before` is the hash that the current password was checked against, or null
 * @throws {Problem} 422 if the password has changed since the check
 */
async function setPassword(
  transaction: Queryable,
  change: { user_id: string; password_hash: string; before: string | null }
): Promise<void> {
  const { user_id, password_hash, before } = change
  const changed = await query(
    transaction,
    sql`update users set password_hash = ${password_hash}, password_changed_at = now()
         where user_id = ${user_id} and (${before}::text is null or password_hash = ${before})
        returning user_id`
  )
  if (changed.length === 0) {
    throw new Problem('invalid_body', {
      detail: 'The password was changed by another request. Log in with the new password.',
      errors: [{ pointer: '/current_password', detail: 'is no longer your password' }]
    })
  }
  await query(
    transaction,
    sql`update email_tokens set used_at = now()
         where user_id = ${user_id} and purpose = 'reset_password' and used_at is null`
  )
}

/**
 * Records the reset in the audit logs of all the user's organizations, because a password is not
 * specific to one organization.
 */
async function recordReset(transaction: Queryable, caller: Caller, userId: string) {
  const memberships = await query<{ organization_id: string }>(
    transaction,
    sql`select organization_id from memberships where user_id = ${userId}`
  )
  for (const { organization_id } of memberships) {
    const origin = originOf(caller, userId, organization_id)
    await recordAudit(transaction, origin, { action: 'password.reset', kind: 'user', id: userId })
  }
}
