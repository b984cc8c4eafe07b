/** POST /v1/auth/login: begins a session with an email address and password. */
import { bearerChallenge } from '../../auth/bearer.ts'
import { normalizeEmail } from '../../core/account-rules.ts'
import { uuidv7 } from '../../core/ids/ids.ts'
import { Problem } from '../../core/problem.ts'
import type { Reply } from '../../http/call.ts'
import { networkOf } from '../../http/network-of.ts'
import type { Static } from '../../http/schema.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import { query, sql } from '../../platform/postgres/sql.ts'
import { redeemInvite } from '../organization/invites/queries.ts'
import { originOf, recordAudit } from '../organization/record-audit.ts'
import type { Services } from '../services.ts'
import type * as schemas from './schemas.ts'
import { beginSession, isKnownNetwork, replyWithSession } from './sessions.ts'
import type { Caller } from './sessions.ts'

type LoginCall = Caller & { readonly body: Static<typeof schemas.login> }

export async function login(call: LoginCall, services: Services): Promise<Reply> {
  const { clock, passwords, throttle } = services
  const { accounts } = services.store
  const attempt = { email: normalizeEmail(call.body.email), remoteAddress: call.remote_address }
  const account = await throttle.attempt(attempt, async () => {
    const found = await readAccount(accounts, attempt.email)
    const network = networkOf(attempt.remoteAddress)
    const isKnown = await isKnownNetwork(accounts, attempt.email, network)
    const caller = isKnown ? 'known' : 'unknown'
    // A login with an unknown email takes as long as one with a wrong password, and gets the same
    // response.
    const hash = found?.password_hash ?? null
    const isRight = await passwords.verify(hash, call.body.password, caller)
    return isRight ? found : null
  })
  if (account === null) throw loginFailed()
  await throttle.login(attempt.email)
  const { user_id } = account
  const begun = await accounts.change(async (transaction) => {
    await lockAccount(transaction, account)
    const requestedId = await joinIfInvited(transaction, call, user_id)
    const membership = await readMembership(transaction, user_id, requestedId)
    const claims = { user_id, ...membership, session_id: uuidv7(clock.now()) }
    const refresh_token = await beginSession(transaction, call, claims)
    const origin = originOf(call, user_id, claims.organization_id)
    await recordAudit(transaction, origin, { action: 'session.begun', id: claims.session_id })
    return { claims, refresh_token }
  })
  return replyWithSession(services, {
    ...begun,
    isCookie: call.body.cookie === true,
    headers: call.headers
  })
}

type Account = { readonly user_id: string; readonly password_hash: string }

async function readAccount(accounts: Queryable, email: string): Promise<Account | null> {
  const select = sql`select user_id, password_hash from users where email = ${email}`
  const [account = null] = await query<Account>(accounts, select)
  return account
}

/**
 * Locks the account row, and fails if the password has changed since it was verified. A password
 * change ends the user's other sessions, so the old password must not begin a new one afterwards.
 */
async function lockAccount(transaction: Queryable, { user_id, password_hash }: Account) {
  const lock = sql`
    select 1 from users where user_id = ${user_id} and password_hash = ${password_hash}
       for no key update`
  const same = await query(transaction, lock)
  if (same.length === 0) throw loginFailed()
}

/** Accepts the invite before the session begins, because a session requires an organization. */
async function joinIfInvited(transaction: Queryable, call: LoginCall, user_id: string) {
  const { email, organization_id = null, invite_token: token } = call.body
  if (token === undefined) return organization_id
  return (await redeemInvite(transaction, call, { token, user_id, email })).organization_id
}

/**
 * Reads the requested membership. Default: the membership in the organization of the last session,
 * or else the oldest membership.
 */
async function readMembership(transaction: Queryable, userId: string, requestedId: string | null) {
  const [membership] = await query<{ organization_id: string; role: string }>(
    transaction,
    sql`select m.organization_id, m.role
          from memberships m join users u using (user_id)
         where m.user_id = ${userId}
           and (${requestedId}::uuid is null or m.organization_id = ${requestedId})
         order by m.organization_id = u.last_organization_id desc nulls last,
                  m.created_at, m.organization_id
         limit 1`
  )
  if (membership !== undefined) return membership
  const detail =
    requestedId === null
      ? 'You are not a member of any organization. Log in with an invite_token to join one.'
      : 'You are not a member of an organization with this id. Omit `organization_id` to use ' +
        'one of yours.'
  throw new Problem('organization_not_found', { detail })
}

function loginFailed(): Problem {
  return new Problem('login_failed', {
    detail: 'The email or the password is wrong.',
    headers: bearerChallenge
  })
}
