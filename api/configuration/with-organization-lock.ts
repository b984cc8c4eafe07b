/** Runs each configuration change in a transaction that locks the organization, records the change
 * in the audit log, and requests the cancellation of runs that the change makes pointless.
 */
import { query, raw, sql } from '../../platform/postgres/sql.ts'
import { auditOriginOf, recordAudit } from '../organization/record-audit.ts'
import type { AuditEntry, EditCall } from '../organization/record-audit.ts'
import type { OrganizationStore, Store } from '../store.ts'

/** Queries on the rows of one organization, with or without the organization lock. */
export type OrganizationRows = Pick<OrganizationStore, 'organizationId' | 'query'>

/**
 * A change to the configuration. It holds the organization lock, so other changes to the
 * organization wait.
 */
export interface Edit extends OrganizationRows {
  /** The user making the change. */
  readonly userId: string
  /**
   * Adds an entry to the audit log.
   * @param action for example `rule.created`
   * @param id the id of the rule
   */
  audit(action: string, id: string, details?: AuditEntry['details']): Promise<void>
}

/**
 * Runs `work` in a transaction that holds the organization lock, so that changes to an organization
 * run one after the other.
 */
export function withOrganizationLock<T>(
  store: Pick<Store, 'of'>,
  call: EditCall,
  work: (edit: Edit) => Promise<T>
): Promise<T> {
  const origin = auditOriginOf(call)
  const { organizationId } = origin
  return store.of(organizationId).change(async (transaction) => {
    const lock = `sluice configuration ${organizationId}`
    await query(transaction, sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`)
    return work({
      organizationId,
      userId: call.principal.user_id,
      query: transaction.query.bind(transaction),
      audit: (action, id, details) => recordAudit(transaction, origin, { action, id, details })
    })
  })
}

/**
 * Describes a change for the audit log: the resource name, and the names of the fields in the
 * request. Omits the values, because they can be secret or too long for the audit log.
 */
export function changeOf(after: { readonly name: string }, body: object) {
  return { name: after.name, changed: Object.keys(body).sort() }
}

/**
 * Requests the cancellation of pending runs after their rule, evaluator or connection was disabled
 * or deleted. A worker then ends each run and publishes its record.
 */
export async function cancelRuns(
  edit: Edit,
  [cause, id]: readonly ['rule_id' | 'evaluator_id' | 'connection_id', string],
  reason: 'disabled' | 'deleted'
): Promise<void> {
  await query(
    edit,
    sql`update pending_runs
           set cancel_requested_at = now(), cancel_reason = ${reason}
         where organization_id = ${edit.organizationId}
           and ${raw(cause)} = ${id}
           and status <> 'finished'
           and cancel_requested_at is null`
  )
}
