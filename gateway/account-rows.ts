/** The routes of people and their sessions. */
import { loginOperation } from './api/accounts/login.operation.ts'
import * as sessions from './api/accounts/session.operation.ts'
import type { Guards, Row } from './guards.ts'
import type { PublicHandle, SessionHandle } from './route.ts'

export interface AccountHandlers {
  readonly login: PublicHandle
  readonly refresh: PublicHandle
  readonly logout: SessionHandle
  readonly listSessions: SessionHandle
  readonly endSession: SessionHandle
}

// prettier-ignore
export function accountRows(to: AccountHandlers, { anyone, session }: Guards): readonly Row[] {
  return [
    ['post',   '/v1/auth/login',    anyone(loginOperation, to.login)],
    ['post',   '/v1/auth/refresh',  anyone(sessions.refreshOperation, to.refresh)],
    ['post',   '/v1/auth/logout',   session(sessions.logoutOperation, to.logout)],
    ['get',    '/v1/auth/sessions', session(sessions.listSessionsOperation, to.listSessions)],
    ['delete', '/v1/auth/sessions/:session_id',
      session(sessions.endSessionOperation, to.endSession)]
  ]
}
