/** POST /v1/auth/password/forgot and /v1/auth/password/reset: a new password by letter. */
import { normalizeEmail } from '../../../core/account-rules.ts'
import type { Mail } from '../../../platform/process/mail.ts'
import type { Queryable } from '../../../platform/postgres/postgres.ts'
import { jsonReply } from '../../../http/call.ts'
import type { Call } from '../../../http/call.ts'
import type { PublicHandle } from '../../../http/route.ts'
import { recordAudit } from '../../organization/record-audit.ts'
import type { AccountStore } from '../../store.ts'
import { passwordViolation, refuseViolations } from '../account-refusals.ts'
import { holderOf, issueEmailToken, useEmailToken } from '../email-tokens.ts'
import { resetLetter } from '../letters.ts'
import type { LiveSessions } from '../../../auth/live-sessions.ts'
import type { Passwords } from './passwords.ts'
import { revokeSessions } from '../sessions/revoke-sessions.ts'
import { setPassword } from './set-password.ts'
import type { Throttle } from '../throttle.ts'

export interface ForgottenPasswordDependencies {
  readonly accounts: AccountStore
  readonly publicUrl: string | null
  readonly liveSessions: Pick<LiveSessions, 'forget'>
  readonly throttle: Pick<Throttle, 'fromAddress' | 'letter'>
  readonly passwords: Pick<Passwords, 'hash'>
  readonly mail: Pick<Mail, 'send'>
}

interface ResetBody {
  readonly token: string
  readonly new_password: string
}

export function createForgottenPassword(dependencies: ForgottenPasswordDependencies) {
  const { accounts, publicUrl, liveSessions, throttle, passwords, mail } = dependencies

  /** The same statements and the same answer, whether there is such an account or not. */
  const forgotPassword: PublicHandle = async ({ body, remote_address: remoteAddress }) => {
    const email = normalizeEmail((body as { email: string }).email)
    await throttle.letter({ email, remoteAddress }, 'account')
    const token = await accounts.change((transaction) =>
      issueEmailToken(transaction, 'reset_password', email)
    )
    if (token !== null) mail.send(resetLetter({ to: email, token, publicUrl }))
    return jsonReply(202, JSON.stringify({ accepted: true }))
  }

  const resetPassword: PublicHandle = async (call) => {
    const { token, new_password: password } = call.body as ResetBody
    await throttle.fromAddress(call.remote_address)
    // Hashing has a price, and no connection waits for it: asked now, and used up later.
    const { user_id, email } = await holderOf(accounts, 'reset_password', token)
    refuseViolations([passwordViolation({ pointer: '/new_password', password, email })])
    const password_hash = await passwords.hash(password)
    const ended = await accounts.change(async (transaction) => {
      await lockPerson(transaction, user_id)
      await useEmailToken(transaction, 'reset_password', token)
      await setPassword(transaction, { user_id, password_hash, before: null })
      await markVerified(transaction, user_id)
      const revocation = { user_id, reason: 'password', only: null, except: null } as const
      const ids = await revokeSessions(transaction, revocation)
      await recordReset(transaction, call, user_id)
      return ids
    })
    liveSessions.forget(user_id)
    return jsonReply(200, JSON.stringify({ sessions_ended: ended.length }))
  }

  return { forgotPassword, resetPassword }
}

/** Before the token, since whoever changes a password has the person when he ends the tokens. */
async function lockPerson(transaction: Queryable, userId: string): Promise<void> {
  await transaction.query(`select from users where user_id = $1 for no key update`, [userId])
}

/** Whoever has the token reads letters at the address. */
async function markVerified(transaction: Queryable, userId: string): Promise<void> {
  await transaction.query(
    `update users set email_verified_at = coalesce(email_verified_at, now()) where user_id = $1`,
    [userId]
  )
}

/** In every organization that the person belongs to: nobody says for which one it was. */
async function recordReset(
  transaction: Queryable,
  { remote_address, request_id: requestId }: Pick<Call, 'remote_address' | 'request_id'>,
  userId: string
): Promise<void> {
  const rows = await transaction.query<{ organization_id: string }>(
    `select organization_id from memberships where user_id = $1`,
    [userId]
  )
  for (const { organization_id: organizationId } of rows) {
    await recordAudit(transaction, {
      ...{ organizationId, actor: { kind: 'user', id: userId }, requestId },
      ...{ action: 'password.reset', target: { kind: 'user', id: userId } },
      address: remote_address === '' ? null : remote_address
    })
  }
}
