/** POST /v1/auth/register: a person with an organization of their own, or in one by its invite. */
import { normalizeEmail } from '../../core/account-rules.ts'
import { Problem } from '../../core/problem.ts'
import type { Mail } from '../../platform/process/mail.ts'
import type { PublicHandle } from '../../http/route.ts'
import type { AccountStore } from '../store.ts'
import { emailViolation, passwordViolation, refuseViolations } from './account-refusals.ts'
import type { BeginSession } from './sessions/begin-session.ts'
import type { CreatePerson } from './create-person.ts'
import { issueEmailToken } from './email-tokens.ts'
import { verificationLetter } from './letters.ts'
import { nextSteps } from './next-steps.ts'
import type { Passwords } from './passwords/passwords.ts'
import { readPerson } from './person.ts'
import type { AnswerSession } from './sessions/session-answer.ts'
import type { Throttle } from './throttle.ts'

export interface RegisterDependencies {
  readonly accounts: AccountStore
  readonly registration: 'open' | 'invite' | 'closed'
  readonly publicUrl: string | null
  readonly throttle: Pick<Throttle, 'fromAddress'>
  readonly passwords: Pick<Passwords, 'hash'>
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

export function createRegister(dependencies: RegisterDependencies): PublicHandle {
  const { accounts, registration, publicUrl, throttle, passwords } = dependencies
  const { createPerson, beginSession, answerSession, mail } = dependencies

  return async function register(call) {
    const body = call.body as RegisterBody
    refuseClosed(registration, body)
    const email = normalizeEmail(body.email)
    refuseBody(body, email)
    await throttle.fromAddress(call.remote_address)
    // Hashed before it is known whether the email is taken: both answers cost the same.
    const password_hash = await passwords.hash(body.password, call)
    const made = await accounts.change(async (transaction) => {
      const created = await createPerson(transaction, call, { ...body, email, password_hash })
      const { user_id, organization, role, api_key } = created
      const session = { user_id, organization_id: organization.id }
      const { session_id, refresh_token } = await beginSession(transaction, call, session)
      const user = await readPerson(transaction, user_id)
      const token = await issueEmailToken(transaction, 'verify_email', email)
      const claims = { ...session, session_id, role }
      return { user, organization, api_key, claims, refresh_token, token }
    })
    const { user, organization, api_key, claims, refresh_token, token } = made
    if (token !== null) mail.send(verificationLetter({ to: email, token, publicUrl }))
    const next = nextSteps({ role: claims.role, api_key })
    const more = { user, organization, api_key, next }
    return answerSession({
      ...{ status: 201, claims, refresh_token, more },
      isCookie: body.cookie === true
    })
  }
}

function refuseClosed(registration: 'open' | 'invite' | 'closed', body: RegisterBody): void {
  if (registration === 'open') return
  if (registration === 'invite' && body.invite_token !== undefined) return
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
