/** Writes audit log entries in the transaction that makes the change. */
import { randomUUID } from 'node:crypto'
import type { SessionPrincipal } from '../../core/principal.ts'
import type { Call } from '../../http/call.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import { query, sql } from '../../platform/postgres/sql.ts'

/** The request that makes a change. */
export type AuditedCall = Pick<Call, 'remote_address' | 'request_id'>

/** The request of a session that makes a change. */
export type EditCall = AuditedCall & { readonly principal: SessionPrincipal }

/** Who made a change, and in which organization's audit log it is recorded. */
interface AuditOrigin {
  readonly organizationId: string
  readonly userId: string
  /** IP address of the client; null if unknown. */
  readonly address: string | null
  readonly requestId: string
}

export interface AuditEntry {
  /** The action, as a resource and a past participle, for example `api_key.created`. */
  readonly action: string
  /** The id of the changed resource. */
  readonly id: string
  /** The kind of the changed resource. Default: the part of the action before the dot. */
  readonly kind?: string
  /** Additional details. Must not contain secrets, passwords or tokens. */
  readonly details?: Readonly<Record<string, unknown>> | undefined
}

/** Returns the origin of a change that a user makes in the current organization. */
export function auditOriginOf(call: EditCall): AuditOrigin {
  return originOf(call, call.principal.user_id, call.principal.organization_id)
}

/** Returns the origin of a change by a user whose request has no session in the organization. */
export function originOf(
  { remote_address, request_id: requestId }: AuditedCall,
  userId: string,
  organizationId: string
): AuditOrigin {
  const address = remote_address === '' ? null : remote_address
  return { organizationId, userId, address, requestId }
}

/**
 * Records an entry with the time of the statement, because the transaction may have started long
 * before if it waited for a lock.
 * @param transaction the transaction that makes the change
 */
export async function recordAudit(
  transaction: Queryable,
  { organizationId, userId, address, requestId }: AuditOrigin,
  { action, id, kind = action.split('.')[0], details }: AuditEntry
): Promise<void> {
  await query(
    transaction,
    sql`insert into audit_log (organization_id, entry_id, created_at, actor_kind, actor_id, action,
                               target_kind, target_id, details, address, request_id)
        values (${organizationId}, ${randomUUID()}, clock_timestamp(), 'user', ${userId},
                ${action}, ${kind}, ${id},
                ${details === undefined ? null : JSON.stringify(details)}, ${address},
                ${requestId})`
  )
}
