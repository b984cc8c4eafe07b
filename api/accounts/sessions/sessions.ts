/** GET /v1/auth/sessions and DELETE /v1/auth/sessions/:session_id: where a person is logged in. */
import { Problem } from '../../../core/problem.ts'
import type { Row } from '../../../platform/postgres/postgres.ts'
import { jsonReply } from '../../../http/call.ts'
import type { SessionHandle } from '../../../http/route.ts'
import { auditOriginOf, recordAudit } from '../../organization/record-audit.ts'
import { listPage } from '../../configuration/list-page.ts'
import type { PageQuery } from '../../configuration/list-page.ts'
import type { AccountStore } from '../../store.ts'
import type { LiveSessions } from '../../../auth/live-sessions.ts'
import { revokeSessions } from './revoke-sessions.ts'

export interface SessionsDependencies {
  readonly accounts: AccountStore
  readonly liveSessions: Pick<LiveSessions, 'forget'>
}

interface SessionRow extends Row {
  readonly session_id: string
}

export function createSessions({ accounts, liveSessions }: SessionsDependencies) {
  const listOwnSessions: SessionHandle = async ({ principal, query }) => {
    const rows = await accounts.query<SessionRow>(
      `select session_id, organization_id, created_at, last_used_at, expires_at, ends_at,
              user_agent, address, session_id = $2 as is_current
         from sessions
        where user_id = $1 and revoked_at is null and expires_at > now() and ends_at > now()
        order by session_id`,
      [principal.user_id, principal.session_id]
    )
    const { page, meta } = listPage(rows, query as unknown as PageQuery, (row) => row.session_id)
    return jsonReply(200, JSON.stringify({ data: page, meta }))
  }

  const endSession: SessionHandle = async (call) => {
    const only = call.params['session_id']?.toLowerCase() ?? ''
    const { user_id } = call.principal
    await accounts.change(async (transaction) => {
      const revocation = { user_id, reason: 'user', only, except: null } as const
      const ended = await revokeSessions(transaction, revocation)
      if (ended.length === 0) throw sessionNotFound(only)
      await recordAudit(transaction, {
        ...auditOriginOf(call),
        action: 'session.ended',
        target: { kind: 'session', id: only },
        details: { reason: 'user', sessions: 1 }
      })
    })
    liveSessions.forget(user_id)
    return jsonReply(200, JSON.stringify({ session_id: only, ended: true }))
  }

  return { listOwnSessions, endSession }
}

function sessionNotFound(id: string): Problem {
  return new Problem('session_not_found', { detail: `You have no session ${id}, or it has ended.` })
}
