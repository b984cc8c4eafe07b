/** PUT /v1/auth/password: a new password for whoever knows the one of now. */
import type { Row } from '../../../platform/postgres/postgres.ts'
import { jsonReply } from '../../../http/call.ts'
import type { SessionHandle } from '../../../http/route.ts'
import { auditOriginOf, recordAudit } from '../../organization/record-audit.ts'
import type { AccountStore } from '../../store.ts'
import { passwordViolation, refuseViolations } from '../account-refusals.ts'
import type { LiveSessions } from '../../../auth/live-sessions.ts'
import type { Passwords } from './passwords.ts'
import { revokeSessions } from '../sessions/revoke-sessions.ts'
import { setPassword } from './set-password.ts'
import type { Throttle } from '../throttle.ts'

export interface ChangePasswordDependencies {
  readonly accounts: AccountStore
  readonly liveSessions: Pick<LiveSessions, 'forget'>
  readonly throttle: Pick<Throttle, 'attempt'>
  readonly passwords: Passwords
}

interface ChangePasswordBody {
  readonly current_password: string
  readonly new_password: string
}

interface Account extends Row {
  readonly email: string
  readonly password_hash: string
}

const wrongPassword = { pointer: '/current_password', detail: 'is not your password' }

export function createChangePassword(dependencies: ChangePasswordDependencies): SessionHandle {
  const { accounts, liveSessions, throttle, passwords } = dependencies

  return async function changePassword(call) {
    const { user_id, session_id } = call.principal
    const { current_password, new_password } = call.body as ChangePasswordBody
    const { email, password_hash } = await readAccount(accounts, user_id)
    refuseViolations([
      passwordViolation({ pointer: '/new_password', password: new_password, email })
    ])
    // A session in the wrong hands must not be worth more guesses than a login.
    const attempt = { email, remoteAddress: call.remote_address }
    const isRight = await throttle.attempt(attempt, () =>
      passwords.verify(password_hash, current_password)
    )
    if (!isRight) refuseViolations([wrongPassword])
    const newHash = await passwords.hash(new_password)
    const ended = await accounts.change(async (transaction) => {
      await setPassword(transaction, { user_id, password_hash: newHash, before: password_hash })
      const revocation = { user_id, reason: 'password', only: null, except: session_id } as const
      const ids = await revokeSessions(transaction, revocation)
      await recordAudit(transaction, {
        ...{ ...auditOriginOf(call), action: 'password.changed' },
        ...{ target: { kind: 'user', id: user_id }, details: { sessions_ended: ids.length } }
      })
      return ids
    })
    liveSessions.forget(user_id)
    return jsonReply(200, JSON.stringify({ sessions_ended: ended.length }))
  }
}

async function readAccount(accounts: AccountStore, userId: string): Promise<Account> {
  const [account] = await accounts.query<Account>(
    `select email, password_hash from users where user_id = $1`,
    [userId]
  )
  if (account === undefined) throw new Error('a session of nobody')
  return account
}
