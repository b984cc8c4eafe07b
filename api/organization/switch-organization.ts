/** POST /v1/auth/organization/switch: the same session acts for another organization. */
import { Problem } from '../../core/problem.ts'
import type { UserRole } from '../../core/user-role.ts'
import type { Queryable, Row } from '../../platform/postgres/postgres.ts'
import { sessionSeconds } from '../../platform/security/session-token.ts'
import type { SessionTokens } from '../../platform/security/session-token.ts'
import { jsonReply } from '../../http/call.ts'
import type { SessionPrincipal } from '../../core/principal.ts'
import type { SessionHandle } from '../../http/route.ts'
import type { Store } from '../store.ts'
import { auditOriginOf, recordAudit } from './record-audit.ts'

export interface SwitchOrganizationDependencies {
  readonly store: Store
  readonly sessionTokens: Pick<SessionTokens, 'sign'>
}

export function createSwitchOrganization(
  dependencies: SwitchOrganizationDependencies
): SessionHandle {
  const { store, sessionTokens } = dependencies

  return async function switchOrganization(call) {
    const { organization_id: asked } = call.body as { readonly organization_id: string }
    const organization_id = asked.toLowerCase()
    const { user_id, session_id } = call.principal
    const role = await store.accounts.change(async (transaction) => {
      const role = await moveSession(transaction, { ...call.principal, organization_id })
      if (organization_id === call.principal.organization_id) return role
      await recordAudit(transaction, {
        ...{ ...auditOriginOf(call), organizationId: organization_id },
        ...{ action: 'session.switched', target: { kind: 'session', id: session_id } }
      })
      return role
    })
    const access_token = sessionTokens.sign({ user_id, organization_id, role, session_id })
    const token = { access_token, token_type: 'Bearer', expires_in: sessionSeconds }
    return jsonReply(200, JSON.stringify({ ...token, organization_id, role }))
  }
}

/** @returns the person's role there. @throws {Problem} 404 */
async function moveSession(
  transaction: Queryable,
  { organization_id, user_id, session_id }: SessionPrincipal
): Promise<UserRole> {
  const [membership] = await transaction.query<{ role: UserRole } & Row>(
    `select role from memberships where organization_id = $1 and user_id = $2`,
    [organization_id, user_id]
  )
  if (membership === undefined) {
    const detail = `You belong to no organization ${organization_id}.`
    throw new Problem('organization_not_found', { detail })
  }
  // The person first and then the session, as whoever logs in or changes a password locks them.
  await transaction.query(`update users set last_organization_id = $1 where user_id = $2`, [
    organization_id,
    user_id
  ])
  await transaction.query(
    `update sessions set organization_id = $1 where session_id = $2 and user_id = $3`,
    [organization_id, session_id, user_id]
  )
  return membership.role
}
