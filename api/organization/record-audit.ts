/** The audit log: who changed what, written in the transaction that changes it. */
import { randomUUID } from 'node:crypto'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import type { SessionPrincipal } from '../../core/principal.ts'
import type { CheckedCall } from '../../http/route.ts'

/** Whose log it is, and who asked for the change. */
export interface AuditOrigin {
  readonly organizationId: string
  readonly actor: AuditActor
  /** IP address that the request came from; null where there is none. */
  readonly address: string | null
  readonly requestId: string | null
}

export type AuditActor =
  | { readonly kind: 'user' | 'api_key'; readonly id: string }
  | { readonly kind: 'system'; readonly id: null }

export interface AuditEntry extends AuditOrigin {
  /** What was done: `noun.verb_past`, such as `api_key.created`. */
  readonly action: string
  readonly target: AuditTarget | null
  /** What else is to be known of it: never a secret, a password or a token. */
  readonly details?: Readonly<Record<string, unknown>> | undefined
}

/** Such as `{ kind: 'api_key', id }`. */
export interface AuditTarget {
  readonly kind: string
  readonly id: string
}

/** By the person whose session it is, in the organization that it acts for. */
export function auditOriginOf(
  call: Pick<CheckedCall<SessionPrincipal>, 'principal' | 'remote_address' | 'request_id'>
): AuditOrigin {
  const { organization_id: organizationId, user_id } = call.principal
  return {
    organizationId,
    actor: { kind: 'user', id: user_id },
    address: call.remote_address === '' ? null : call.remote_address,
    requestId: call.request_id
  }
}

/**
 * The time is that of the statement: a change that waited for its turn began long before it.
 * @param transaction the one that makes the change
 */
export async function recordAudit(transaction: Queryable, entry: AuditEntry): Promise<void> {
  const { organizationId, actor, action, target, details, address, requestId } = entry
  await transaction.query(
    `insert into audit_log (organization_id, entry_id, created_at, actor_kind, actor_id, action,
                            target_kind, target_id, details, address, request_id)
     values ($1, $2, clock_timestamp(), $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      ...[organizationId, randomUUID(), actor.kind, actor.id, action],
      ...[target?.kind ?? null, target?.id ?? null],
      ...[details === undefined ? null : JSON.stringify(details), address, requestId]
    ]
  )
}
