/** POST /v1/auth/register and /v1/auth/register/confirm: how a person gets an account.
 *
 *     with an invite ─▶ the account at once: its token came to the address by email
 *     without one ────▶ 202 and an email, whether the address is taken or not
 *                       ─▶ confirmed with its token and the password that was registered
 */
import { normalizeEmail } from '../../core/account-rules.ts'
import { Problem } from '../../core/problem.ts'
import type { Mail } from '../../platform/process/mail.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import { bearerChallenge } from '../../auth/bearer.ts'
import { jsonReply } from '../../http/call.ts'
import type { Call, Reply } from '../../http/call.ts'
import type { PublicHandle } from '../../http/route.ts'
import type { AccountStore } from '../store.ts'
import { emailViolation, passwordViolation, refuseViolations } from './account-refusals.ts'
import type { BeginSession } from './sessions/begin-session.ts'
import type { CreatePerson, NewPerson } from './create-person.ts'
import { issueEmailToken } from './email-tokens.ts'
import { registrationLetter, takenLetter, verificationLetter } from './letters.ts'
import { nextSteps } from './next-steps.ts'
import type { Passwords } from './passwords/passwords.ts'
import { readPerson } from './person.ts'
import { insertRegistration, readRegisteredHash, useRegistration } from './registrations.ts'
import type { AnswerSession } from './sessions/session-answer.ts'
import type { Throttle } from './throttle.ts'

export interface RegisterDependencies {
  readonly accounts: AccountStore
  readonly registration: 'open' | 'invite' | 'closed'
  readonly publicUrl: string | null
  readonly throttle: Pick<Throttle, 'fromAddress' | 'letter' | 'confirmation'>
  readonly passwords: Passwords
  readonly createPerson: CreatePerson
  readonly beginSession: BeginSession
  readonly answerSession: AnswerSession
  readonly mail: Pick<Mail, 'send'>
}

export interface RegisterBody {
  readonly email: string
  readonly password: string
  readonly name?: string | null
  readonly organization_name?: string
  readonly invite_token?: string
  readonly create_key?: boolean
  readonly cookie?: boolean
}

interface ConfirmBody {
  readonly token: string
  readonly password: string
  readonly cookie?: boolean
}

export function createRegister(dependencies: RegisterDependencies) {
  const { accounts, registration, publicUrl, throttle, passwords, mail } = dependencies
  const openAccount = createOpenAccount(dependencies)

  /** Costs the same for an email that is taken, so nobody learns from it which are. */
  async function ask(call: Call, body: RegisterBody, email: string): Promise<Reply> {
    const { password, name = null, organization_name = '', create_key = true } = body
    await throttle.letter({ email, remoteAddress: call.remote_address }, 'registration')
    const password_hash = await passwords.hash(password, 'stranger')
    const { token, isTaken } = await accounts.change((transaction) =>
      insertRegistration(transaction, { email, password_hash, name, organization_name, create_key })
    )
    const letter = { to: email, publicUrl }
    mail.send(isTaken ? takenLetter(letter) : registrationLetter({ ...letter, token }))
    return jsonReply(202, JSON.stringify({ accepted: true }))
  }

  const register: PublicHandle = async (call) => {
    const body = call.body as RegisterBody
    refuseClosed(registration, body)
    const email = normalizeEmail(body.email)
    refuseBody(body, email)
    if (body.invite_token === undefined) return ask(call, body, email)
    await throttle.fromAddress(call.remote_address)
    const person = {
      ...body,
      email,
      password_hash: await passwords.hash(body.password, 'stranger')
    }
    return openAccount(call, body.cookie, async () => person)
  }

  const confirmRegistration: PublicHandle = async (call) => {
    const { token, password, cookie } = call.body as ConfirmBody
    // What was asked for while anybody might.
    refuseClosed(registration, {})
    await throttle.fromAddress(call.remote_address)
    await refuseWrongPassword(dependencies, token, password)
    return openAccount(call, cookie, async (transaction) => {
      return { ...(await useRegistration(transaction, token)), is_verified: true }
    })
  }

  return { register, confirmRegistration }
}

/**
 * Anybody may register any email, and its owner gets the token: without this check the owner would
 * confirm an account with a stranger's password. The hash is computed outside of a transaction.
 */
async function refuseWrongPassword(
  { accounts, throttle, passwords }: RegisterDependencies,
  token: string,
  password: string
): Promise<void> {
  const hash = await readRegisteredHash(accounts, token)
  const isRight = await throttle.confirmation(token, () =>
    passwords.verify(hash, password, 'stranger')
  )
  if (isRight) return
  throw new Problem('login_failed', {
    detail:
      'This is not the password of the registration. The token stays valid: try again, or ' +
      'register with another password.',
    headers: bearerChallenge
  })
}

type PersonOf = (transaction: Queryable) => Promise<NewPerson>

function createOpenAccount(dependencies: RegisterDependencies) {
  const { accounts, publicUrl, createPerson, beginSession, answerSession, mail } = dependencies

  return async function openAccount(
    call: Call,
    isCookie: boolean | undefined,
    personOf: PersonOf
  ): Promise<Reply> {
    const made = await accounts.change(async (transaction) => {
      const person = await personOf(transaction)
      const created = await createPerson(transaction, call, person)
      const { user_id, organization, role, api_key } = created
      const session = { user_id, organization_id: organization.id }
      const { session_id, refresh_token } = await beginSession(transaction, call, session)
      const user = await readPerson(transaction, user_id)
      const token = user.email_verified
        ? null
        : await issueEmailToken(transaction, 'verify_email', user.email)
      const claims = { ...session, session_id, role }
      return { user, organization, api_key, claims, refresh_token, token }
    })
    const { user, organization, api_key, claims, refresh_token, token } = made
    if (token !== null) mail.send(verificationLetter({ to: user.email, token, publicUrl }))
    const { email_verified } = user
    const next = nextSteps({ role: claims.role, api_key, email_verified })
    const more = { user, organization, api_key, next }
    return answerSession({
      ...{ status: 201, claims, refresh_token, more },
      isCookie: isCookie === true
    })
  }
}

function refuseClosed(
  registration: 'open' | 'invite' | 'closed',
  { invite_token }: Pick<RegisterBody, 'invite_token'>
): void {
  if (registration === 'open') return
  if (registration === 'invite' && invite_token !== undefined) return
  const detail =
    registration === 'invite'
      ? 'Only whoever was invited may register here: send the `invite_token` of the invite.'
      : 'Accounts are made by whoever runs this installation.'
  throw new Problem('registration_closed', { detail })
}

function refuseBody(body: RegisterBody, email: string): void {
  const { password, organization_name, invite_token } = body
  const isNamed = organization_name !== undefined && organization_name.trim() !== ''
  refuseViolations([
    emailViolation(email),
    passwordViolation({ pointer: '/password', password, email }),
    invite_token === undefined && !isNamed
      ? { pointer: '/organization_name', detail: 'is required, unless there is an invite_token' }
      : null
  ])
}
