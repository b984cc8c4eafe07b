/** POST /v1/auth/register and /v1/auth/register/confirm: create accounts.
 *
 *     with an invite ────▶ creates the account immediately: the invite is for this address
 *     without an invite ─▶ 202 and an email, whether or not an account has the address
 *                          ─▶ confirmed with the token from the email and the registered password
 */
import { bearerChallenge } from '../../auth/bearer.ts'
import { emailObjection, normalizeEmail, passwordObjection } from '../../core/account-rules.ts'
import { uuidv7 } from '../../core/ids/ids.ts'
import { Problem } from '../../core/problem.ts'
import { mayActAs } from '../../core/user-role.ts'
import { reply } from '../../http/call.ts'
import type { Reply } from '../../http/call.ts'
import type { Static } from '../../http/schema.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import { query, sql } from '../../platform/postgres/sql.ts'
import { insertApiKey } from '../../store/insert-api-key.ts'
import { lockInvite, redeemInvite } from '../organization/invites/queries.ts'
import { originOf, recordAudit } from '../organization/record-audit.ts'
import { refuseBody, violationAt } from '../configuration/problems.ts'
import type { Services } from '../services.ts'
import { insertRegistration, issueEmailToken, readRegisteredHash } from './email-tokens.ts'
import { useRegistration } from './email-tokens.ts'
import type { Registration } from './email-tokens.ts'
import { accountExistsEmail, registrationEmail, verificationEmail } from './emails.ts'
import { readUser } from './queries.ts'
import type { confirmation, FirstKey, NextStep, registration } from './schemas.ts'
import { beginSession, replyWithSession } from './sessions.ts'
import type { Caller } from './sessions.ts'

type RegistrationBody = Static<typeof registration>
type RegisterCall = Caller & { readonly body: RegistrationBody }

export async function register(call: RegisterCall, services: Services): Promise<Reply> {
  const { body } = call
  const { passwords, throttle } = services
  refuseClosed(services, body.invite_token)
  const email = normalizeEmail(body.email)
  refuseRegistration(body, email)
  if (body.invite_token === undefined) return requestRegistration(call, email, services)
  await throttle.fromAddress(call.remote_address)
  const newUser = { ...body, email, password_hash: await passwords.hash(body.password, 'unknown') }
  return openAccount(call, services, async () => newUser)
}

/**
 * Requests a registration. Takes the same time whether or not the address has an account, so that
 * callers cannot find out which addresses have one.
 */
async function requestRegistration(
  { body, remote_address: remoteAddress }: RegisterCall,
  email: string,
  { store, config, throttle, passwords, mail }: Services
): Promise<Reply> {
  const { password, name = null, organization_name = '', create_key = true } = body
  await throttle.email({ email, remoteAddress }, 'registration')
  const password_hash = await passwords.hash(password, 'unknown')
  const { token, isTaken } = await store.accounts.change((transaction) =>
    insertRegistration(transaction, { email, password_hash, name, organization_name, create_key })
  )
  const recipient = { to: email, config }
  mail.send(isTaken ? accountExistsEmail(recipient) : registrationEmail({ ...recipient, token }))
  return reply(202, { accepted: true })
}

export async function confirmRegistration(
  call: Caller & { readonly body: Static<typeof confirmation> },
  services: Services
): Promise<Reply> {
  const { token, password } = call.body
  // Registration may have been closed since the email was sent.
  refuseClosed(services, undefined)
  await services.throttle.fromAddress(call.remote_address)
  await refuseWrongPassword(services, token, password)
  return openAccount(call, services, async (transaction) => {
    return { ...(await useRegistration(transaction, token)), is_verified: true }
  })
}

/**
 * Rejects a password other than the registered one. Anyone can register someone else's address;
 * without this check, the owner of the address would confirm an account with a stranger's password.
 * Hashes outside the transaction because hashing is slow.
 */
async function refuseWrongPassword(
  { store, throttle, passwords }: Services,
  token: string,
  password: string
): Promise<void> {
  const hash = await readRegisteredHash(store.accounts, token)
  const isRight = await throttle.confirmation(token, () =>
    passwords.verify(hash, password, 'unknown')
  )
  if (isRight) return
  throw new Problem('login_failed', {
    detail:
      'The password is not the one that was registered. The token stays valid: try again, ' +
      'or register with another password.',
    headers: bearerChallenge
  })
}

async function openAccount(
  call: Caller & { readonly body: { readonly cookie?: boolean } },
  services: Services,
  readNewUser: (transaction: Queryable) => Promise<NewUser>
): Promise<Reply> {
  const { store, clock, config, mail } = services
  const made = await store.accounts.change(async (transaction) => {
    const newUser = await readNewUser(transaction)
    const created = await createUser(transaction, newUser, { caller: call, clock, config })
    const { user_id, organization, role, api_key } = created
    const session_id = uuidv7(clock.now())
    const claims = { user_id, organization_id: organization.id, session_id, role }
    const refresh_token = await beginSession(transaction, call, claims)
    const user = await readUser(transaction, user_id)
    const token = user.email_verified
      ? null
      : await issueEmailToken(transaction, 'verify_email', user.email)
    return { user, organization, api_key, claims, refresh_token, token }
  })
  const { user, organization, api_key, claims, refresh_token, token } = made
  if (token !== null) mail.send(verificationEmail({ to: user.email, token, config }))
  const next = nextSteps({ role: claims.role, api_key, email_verified: user.email_verified })
  const { headers } = call
  const begun = { claims, refresh_token, headers, isCookie: call.body.cookie === true }
  return replyWithSession(services, begun, { user, organization, api_key, next })
}

type NewUser = Pick<Registration, 'email' | 'password_hash'> &
  Partial<Registration> & {
    readonly invite_token?: string
    /** Whether the user has proved ownership of the email address. */
    readonly is_verified?: boolean
  }

/**
 * Creates a user with a new organization, or as a member of the organization that invited them.
 * @param transaction opened on `store.accounts`
 * @throws {Problem} 409 email_taken, 422 token_invalid
 */
async function createUser(
  transaction: Queryable,
  user: NewUser,
  { caller, clock, config }: Pick<Services, 'clock' | 'config'> & { readonly caller: Caller }
) {
  const { invite_token: token, email } = user
  // Check the invite before inserting the user. Otherwise a caller without an invite for this
  // email address could tell from the error whether the address has an account.
  if (token !== undefined) await lockInvite(transaction, { token, email })
  const user_id = uuidv7(clock.now())
  await insertUser(transaction, user_id, user)
  if (token !== undefined) {
    const joined = await redeemInvite(transaction, caller, { token, user_id, email })
    const { organization_id: id, name, role } = joined
    return { user_id, organization: { id, name }, role, api_key: null }
  }
  const organization = { id: uuidv7(clock.now()), name: user.organization_name?.trim() ?? '' }
  const { id } = organization
  const origin = originOf(caller, user_id, id)
  await query(
    transaction,
    sql`insert into organizations (organization_id, name) values (${id}, ${organization.name})`
  )
  await recordAudit(transaction, origin, { action: 'organization.created', id })
  await query(
    transaction,
    sql`insert into memberships (organization_id, user_id, role)
        values (${id}, ${user_id}, 'owner')`
  )
  const isKeyless = user.create_key === false
  const pepper = config.API_KEY_PEPPER
  const api_key = isKeyless ? null : await insertFirstKey(transaction, pepper, origin)
  return { user_id, organization, role: 'owner', api_key }
}

async function insertUser(
  transaction: Queryable,
  userId: string,
  { email, password_hash, name = null, is_verified = false }: NewUser
): Promise<void> {
  const inserted = await query(
    transaction,
    sql`insert into users (user_id, email, password_hash, name, email_verified_at)
        values (${userId}, ${email}, ${password_hash}, ${name},
                case when ${is_verified} then now() end)
        on conflict (email) do nothing returning user_id`
  )
  if (inserted.length > 0) return
  const detail = 'An account with this email already exists. Log in, or reset the password.'
  throw new Problem('email_taken', { detail })
}

async function insertFirstKey(
  transaction: Queryable,
  pepper: string,
  origin: ReturnType<typeof originOf>
): Promise<FirstKey> {
  const name = 'first'
  const scopes = ['ingest'] as const
  const { key_id: id, api_key: key } = await insertApiKey(transaction, pepper, {
    organization_id: origin.organizationId,
    name,
    environment: 'live',
    scopes,
    created_by: origin.userId,
    expires_at: null,
    rate_limit_points: null
  })
  const details = { name, scopes }
  await recordAudit(transaction, origin, { action: 'api_key.created', id, details })
  return { id, key, scopes }
}

function refuseClosed({ config }: Services, inviteToken: string | undefined): void {
  const { REGISTRATION: registration } = config
  if (registration === 'open') return
  if (registration === 'invite' && inviteToken !== undefined) return
  const detail =
    registration === 'invite'
      ? 'Registration requires an invite. Send the `invite_token` of the invite.'
      : 'Registration is closed. Ask the operator of this installation for an account.'
  throw new Problem('registration_closed', { detail })
}

function refuseRegistration(body: RegistrationBody, email: string): void {
  const { password, organization_name = '', invite_token } = body
  const isNamed = invite_token !== undefined || organization_name.trim() !== ''
  refuseBody([
    ...violationAt('/email', emailObjection(email)),
    ...violationAt('/password', passwordObjection(password, email)),
    ...violationAt('/organization_name', isNamed ? null : 'is required without an invite_token')
  ])
}

const sendDecision: NextStep = {
  what: 'Send a decision with the API key. Store the key: it is not shown again.',
  method: 'POST',
  path: '/v1/ingest',
  credential: 'api_key'
}
const makeKey: NextStep = {
  what: 'Create an API key to send decisions with.',
  method: 'POST',
  path: '/v1/auth/api-keys',
  credential: 'session'
}
const seeDecisions: NextStep = {
  what: 'List the decisions that were sent.',
  method: 'GET',
  path: '/v1/decisions',
  credential: 'session'
}
const verifyEmail: NextStep = {
  what: 'Verify your email address with the token from the email that was sent to it.',
  method: 'POST',
  path: '/v1/auth/email/verify',
  credential: 'none'
}

/** Returns the requests that a newly registered user should send next. */
export function nextSteps(account: {
  readonly role: string
  readonly api_key: FirstKey
  readonly email_verified: boolean
}): readonly NextStep[] {
  const { role, api_key, email_verified } = account
  const mayMakeKey = mayActAs(role, 'admin') ? [makeKey] : []
  return [
    ...(api_key === null ? mayMakeKey : [sendDecision]),
    seeDecisions,
    ...(email_verified ? [] : [verifyEmail])
  ]
}
