/** Changes of what an organization configures, one after the other. */
import type { Queryable } from '../../../platform/postgres.ts'
import type { OrganizationStore } from '../store.ts'

/** Rows of one organization, outside or inside of a change. */
export type OrganizationRows = Pick<OrganizationStore, 'organizationId' | 'query'>

/** A change that has its turn: what it reads stays true until it is done. */
export interface Edit extends OrganizationRows {
  /** Who changes it. */
  readonly userId: string
}

const waitForTurn = 'select pg_advisory_xact_lock(hashtextextended($1, 0))'

/** All that `work` does, or nothing; nobody else changes this organization's meanwhile. */
export function takeTurn<T>(
  store: OrganizationStore,
  userId: string,
  work: (edit: Edit) => Promise<T>
): Promise<T> {
  const { organizationId } = store
  return store.change(async (transaction: Queryable) => {
    await transaction.query(waitForTurn, [`sluice configuration ${organizationId}`])
    return work({ organizationId, userId, query: transaction.query.bind(transaction) })
  })
}
