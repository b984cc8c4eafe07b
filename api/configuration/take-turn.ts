/** Changes of what belongs to one organization, one after the other. */
import type { Queryable } from '../../platform/postgres/postgres.ts'
import type { SessionPrincipal } from '../../core/principal.ts'
import type { CheckedCall } from '../../http/route.ts'
import { auditOriginOf, recordAudit } from '../organization/record-audit.ts'
import type { AuditEntry } from '../organization/record-audit.ts'
import type { OrganizationStore, Store } from '../store.ts'

/** Rows of one organization, outside or inside of a change. */
export type OrganizationRows = Pick<OrganizationStore, 'organizationId' | 'query'>

/** A change that has its turn: what it reads stays true until it is done. */
export interface Edit extends OrganizationRows {
  /** Who changes it. */
  readonly userId: string
  /**
   * Notes in the audit log what is done.
   * @param action such as `rule.created`; the id is of what its first word says
   */
  audit(action: string, id: string, details?: AuditEntry['details']): Promise<void>
}

/** Whose session asks for the change. */
export type EditCall = Pick<
  CheckedCall<SessionPrincipal>,
  'principal' | 'remote_address' | 'request_id'
>

const waitForTurn = 'select pg_advisory_xact_lock(hashtextextended($1, 0))'

/** All that `work` does, or nothing; nobody else changes this organization's meanwhile. */
export function takeTurn<T>(
  store: Pick<Store, 'of'>,
  call: EditCall,
  work: (edit: Edit) => Promise<T>
): Promise<T> {
  const { organization_id: organizationId } = call.principal
  return store.of(organizationId).change(async (transaction) => {
    await transaction.query(waitForTurn, [`sluice configuration ${organizationId}`])
    return work(editOf(transaction, call))
  })
}

function editOf(transaction: Queryable, call: EditCall): Edit {
  const origin = auditOriginOf(call)
  return {
    organizationId: origin.organizationId,
    userId: call.principal.user_id,
    query: transaction.query.bind(transaction),
    audit: (action, id, details) => {
      const [kind = ''] = action.split('.')
      return recordAudit(transaction, { ...origin, action, target: { kind, id }, details })
    }
  }
}
