/** The routes of people and their sessions. */
import * as email from './email.operation.ts'
import { loginOperation } from './sessions/login.operation.ts'
import * as password from './passwords/password.operation.ts'
import * as person from './person.operation.ts'
import { confirmRegistrationOperation, registerOperation } from './register.operation.ts'
import * as sessions from './sessions/session.operation.ts'
import type { Guards, Row } from '../../auth/guards.ts'
import type { PrincipalHandle, PublicHandle, SessionHandle } from '../../http/route.ts'

export interface AccountHandlers {
  readonly register: PublicHandle
  readonly confirmRegistration: PublicHandle
  readonly login: PublicHandle
  readonly refresh: PublicHandle
  readonly logout: SessionHandle
  readonly listOwnSessions: SessionHandle
  readonly endSession: SessionHandle
  readonly showMe: SessionHandle
  readonly changeMe: SessionHandle
  readonly whoami: PrincipalHandle
  readonly changePassword: SessionHandle
  readonly forgotPassword: PublicHandle
  readonly resetPassword: PublicHandle
  readonly verifyEmail: PublicHandle
  readonly sendVerification: SessionHandle
  readonly showKeys: PublicHandle
}

// prettier-ignore
export function accountRows(to: AccountHandlers, guards: Guards): readonly Row[] {
  const { anyone, session, sessionOr } = guards
  const all = '/v1/auth/sessions'
  const list = session(sessions.listOwnSessionsOperation, to.listOwnSessions)
  const confirm = anyone(confirmRegistrationOperation, to.confirmRegistration)
  return [
    ['post',   '/v1/auth/register',  anyone(registerOperation, to.register)],
    ['post',   '/v1/auth/register/confirm', confirm],
    ['post',   '/v1/auth/login',     anyone(loginOperation, to.login)],
    ['post',   '/v1/auth/refresh',   anyone(sessions.refreshOperation, to.refresh)],
    ['post',   '/v1/auth/logout',    session(sessions.logoutOperation, to.logout)],
    ['get',    all,                  list],
    ['delete', `${all}/:session_id`, session(sessions.endSessionOperation, to.endSession)],
    ['get',    '/v1/auth/me',        session(person.showMeOperation, to.showMe)],
    ['patch',  '/v1/auth/me',        session(person.changeMeOperation, to.changeMe)],
    ['get',    '/v1/auth/whoami',    sessionOr(null)(person.whoamiOperation, to.whoami)],
    ...letterRows(to, guards),
    ['get',    '/v1/auth/.well-known/jwks.json', anyone(email.showKeysOperation, to.showKeys)]
  ]
}

/** What letters are sent for. */
// prettier-ignore
function letterRows(to: AccountHandlers, { anyone, session }: Guards): readonly Row[] {
  const change = session(password.changePasswordOperation, to.changePassword)
  const forgot = anyone(password.forgotPasswordOperation, to.forgotPassword)
  const reset = anyone(password.resetPasswordOperation, to.resetPassword)
  const send = session(email.sendVerificationOperation, to.sendVerification)
  return [
    ['put',  '/v1/auth/password',           change],
    ['post', '/v1/auth/password/forgot',    forgot],
    ['post', '/v1/auth/password/reset',     reset],
    ['post', '/v1/auth/email/verify',       anyone(email.verifyEmailOperation, to.verifyEmail)],
    ['post', '/v1/auth/email/verification', send]
  ]
}
