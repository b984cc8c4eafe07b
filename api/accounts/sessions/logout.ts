/** POST /v1/auth/logout: this session, or all of the person's, end at once. */
import { jsonHeaders } from '../../../http/call.ts'
import type { SessionHandle } from '../../../http/route.ts'
import { auditOriginOf, recordAudit } from '../../organization/record-audit.ts'
import type { AccountStore } from '../../store.ts'
import type { LiveSessions } from '../../../auth/live-sessions.ts'
import type { RefreshCookie } from './refresh-cookie.ts'
import { revokeSessions } from './revoke-sessions.ts'

export interface LogoutDependencies {
  readonly accounts: AccountStore
  readonly liveSessions: Pick<LiveSessions, 'forget'>
  readonly refreshCookie: Pick<RefreshCookie, 'cleared'>
}

export function createLogout(dependencies: LogoutDependencies): SessionHandle {
  const { accounts, liveSessions, refreshCookie } = dependencies

  return async function logout(call) {
    const { all = false } = call.body as { all?: boolean }
    const { user_id, session_id } = call.principal
    const only = all ? null : session_id
    const ended = await accounts.change(async (transaction) => {
      const revocation = { user_id, reason: 'logout', only, except: null } as const
      const ids = await revokeSessions(transaction, revocation)
      await recordAudit(transaction, {
        ...auditOriginOf(call),
        action: 'session.ended',
        target: { kind: 'session', id: session_id },
        details: { reason: 'logout', sessions: ids.length }
      })
      return ids
    })
    liveSessions.forget(user_id)
    const body = JSON.stringify({ sessions_ended: ended.length })
    return { status: 200, headers: { ...jsonHeaders, ...refreshCookie.cleared }, body }
  }
}
