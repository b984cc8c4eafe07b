/** POST /v1/auth/login: email and password to an access token of 15 minutes. */
import { Problem } from '../../core/problem.ts'
import { PasswordsBusyError } from '../../platform/password.ts'
import type { Queryable, Row } from '../../platform/postgres.ts'
import { sessionSeconds } from '../../platform/session-token.ts'
import type { SessionTokens } from '../../platform/session-token.ts'
import { bearerChallenge } from '../authentication/bearer.ts'
import { jsonReply } from '../call.ts'
import type { PublicHandle } from '../route.ts'
import type { ThrottleLogin } from './login-throttle.ts'

export interface LoginDependencies {
  readonly accounts: Queryable
  readonly throttleLogin: ThrottleLogin
  /** `verifyPassword` of platform/password.ts; null stands for an account that does not exist. */
  readonly verifyPassword: (passwordHash: string | null, password: string) => Promise<boolean>
  readonly sessionTokens: Pick<SessionTokens, 'sign'>
}

export function createLogin(dependencies: LoginDependencies): PublicHandle {
  const { accounts, throttleLogin, verifyPassword, sessionTokens } = dependencies

  async function isRight(account: AccountRow | null, password: string): Promise<boolean> {
    try {
      return await verifyPassword(account?.password_hash ?? null, password)
    } catch (cause) {
      throw cause instanceof PasswordsBusyError ? busy(cause) : cause
    }
  }

  return async function login(call) {
    const body = call.body as { email: string; password: string }
    const email = body.email.trim().toLowerCase()
    await throttleLogin({ email, remoteAddress: call.remote_address })
    const account = await selectAccount(accounts, email)
    // An unknown email costs the same check as a wrong password, and gets the same answer.
    const isAllowed = await isRight(account, body.password)
    if (account === null || !isAllowed) throw loginFailed()
    const { user_id, organization_id, role } = account
    const answer = {
      access_token: sessionTokens.sign({ user_id, organization_id, role }),
      token_type: 'Bearer',
      expires_in: sessionSeconds,
      organization_id
    }
    return jsonReply(200, JSON.stringify(answer))
  }
}

interface AccountRow {
  readonly user_id: string
  readonly organization_id: string
  readonly role: string
  readonly password_hash: string
}

async function selectAccount(accounts: Queryable, email: string): Promise<AccountRow | null> {
  const rows = await accounts.query<AccountRow & Row>(
    `select u.user_id, m.organization_id, m.role, u.password_hash
       from users u
       join memberships m using (user_id)
      where u.email = $1
      order by m.organization_id = u.last_organization_id desc, m.created_at, m.organization_id
      limit 1`,
    [email]
  )
  return rows[0] ?? null
}

function loginFailed(): Problem {
  return new Problem('login_failed', {
    detail: 'No account has this email and this password.',
    headers: bearerChallenge
  })
}

function busy(cause: unknown): Problem {
  return new Problem('overloaded', {
    detail: 'Too many people log in at this moment; try again shortly.',
    headers: { 'retry-after': '2' },
    cause
  })
}
