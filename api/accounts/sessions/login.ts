/** POST /v1/auth/login: email and password to a session. */
import { normalizeEmail } from '../../../core/account-rules.ts'
import { Problem } from '../../../core/problem.ts'
import type { Queryable, Row } from '../../../platform/postgres/postgres.ts'
import { bearerChallenge } from '../../../auth/bearer.ts'
import { networkOf } from '../../../http/network-of.ts'
import type { PublicHandle } from '../../../http/route.ts'
import { recordAudit } from '../../organization/record-audit.ts'
import { redeemInvite } from '../../organization/invites/redeem-invite.ts'
import type { AccountStore } from '../../store.ts'
import type { BeginSession } from './begin-session.ts'
import type { IsKnownNetwork } from './known-network.ts'
import type { AnswerSession } from './session-answer.ts'
import type { Passwords } from '../passwords/passwords.ts'
import type { Throttle } from '../throttle.ts'

export interface LoginDependencies {
  readonly accounts: AccountStore
  readonly isKnownNetwork: IsKnownNetwork
  readonly throttle: Pick<Throttle, 'attempt' | 'login'>
  readonly passwords: Pick<Passwords, 'verify'>
  readonly beginSession: BeginSession
  readonly answerSession: AnswerSession
}

interface LoginBody {
  readonly email: string
  readonly password: string
  readonly organization_id?: string
  readonly invite_token?: string
  readonly cookie?: boolean
}

export function createLogin(dependencies: LoginDependencies): PublicHandle {
  const { accounts, isKnownNetwork, throttle, passwords, beginSession, answerSession } =
    dependencies

  return async function login(call) {
    const { password, cookie, ...body } = call.body as LoginBody
    const attempt = { email: normalizeEmail(body.email), remoteAddress: call.remote_address }
    const account = await throttle.attempt(attempt, async () => {
      const found = await selectAccount(accounts, attempt.email)
      const isKnown = await isKnownNetwork(attempt.email, networkOf(attempt.remoteAddress))
      const caller = isKnown ? 'known' : 'stranger'
      // An unknown email costs the same check as a wrong password, and gets the same answer.
      const isRight = await passwords.verify(found?.password_hash ?? null, password, caller)
      return isRight ? found : null
    })
    if (account === null) throw loginFailed()
    await throttle.login(attempt.email)
    const opened = await accounts.change(async (transaction) => {
      await lockAccount(transaction, account)
      const wanted = await joinIfInvited(transaction, call, account.user_id)
      const membership = await selectMembership(transaction, account.user_id, wanted)
      const session = { user_id: account.user_id, ...membership }
      const begun = await beginSession(transaction, call, session)
      await recordAudit(transaction, {
        organizationId: session.organization_id,
        actor: { kind: 'user', id: session.user_id },
        action: 'session.begun',
        target: { kind: 'session', id: begun.session_id },
        address: call.remote_address === '' ? null : call.remote_address,
        requestId: call.request_id
      })
      return { ...session, ...begun }
    })
    const { refresh_token, ...claims } = opened
    return answerSession({ status: 200, claims, refresh_token, isCookie: cookie === true })
  }
}

interface AccountRow extends Row {
  readonly user_id: string
  readonly password_hash: string
}

async function selectAccount(accounts: Queryable, email: string): Promise<AccountRow | null> {
  const rows = await accounts.query<AccountRow>(
    `select user_id, password_hash from users where email = $1`,
    [email]
  )
  return rows[0] ?? null
}

/** Whoever changes the password ends all sessions; none begins with the old one behind that. */
async function lockAccount(transaction: Queryable, account: AccountRow): Promise<void> {
  const { user_id, password_hash } = account
  const same = await transaction.query(
    `select 1 from users where user_id = $1 and password_hash = $2 for no key update`,
    [user_id, password_hash]
  )
  if (same.length === 0) throw loginFailed()
}

/** Somebody who belongs to no organization gets no session, and so could not accept in one. */
async function joinIfInvited(
  transaction: Queryable,
  { body, remote_address, request_id: requestId }: Parameters<PublicHandle>[0],
  user_id: string
): Promise<string | null> {
  const { email, organization_id = null, invite_token: token } = body as LoginBody
  if (token === undefined) return organization_id
  const address = remote_address === '' ? null : remote_address
  const joined = await redeemInvite(transaction, { token, user_id, email, address, requestId })
  return joined.organization_id
}

interface Membership extends Row {
  readonly organization_id: string
  readonly role: string
}

/** The one that is asked for, else the one of the last time, else the first. */
async function selectMembership(
  transaction: Queryable,
  userId: string,
  wanted: string | null
): Promise<Membership> {
  const [membership] = await transaction.query<Membership>(
    `select m.organization_id, m.role
       from memberships m join users u using (user_id)
      where m.user_id = $1 and ($2::uuid is null or m.organization_id = $2)
      order by m.organization_id = u.last_organization_id desc nulls last,
               m.created_at, m.organization_id
      limit 1`,
    [userId, wanted]
  )
  if (membership !== undefined) return membership
  const detail =
    wanted === null
      ? 'You belong to no organization any more; log in with the invite_token of an invite.'
      : 'You belong to no organization with this id; leave it out to get into one of yours.'
  throw new Problem('organization_not_found', { detail })
}

function loginFailed(): Problem {
  return new Problem('login_failed', {
    detail: 'No account has this email and this password.',
    headers: bearerChallenge
  })
}
