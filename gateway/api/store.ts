/** The store as the reads see it: one organization at a time, and 503 when it is away. */
import { Problem } from '../../core/problem.ts'
import { isTransientStoreError } from '../../platform/postgres.ts'
import type { PostgresPool, Queryable, Row } from '../../platform/postgres.ts'

/** What one organization may read: the server hides the rows of all others. */
export interface OrganizationStore extends Queryable {
  readonly organizationId: string
}

export interface Store {
  /** There is no other way to the rows of tenants than to say whose. */
  of(organizationId: string): OrganizationStore
  /** Who logs in is read before anybody knows the organization. */
  readonly accounts: Queryable
}

/** Sees nothing of an organization unless it is told which; see 0008-row-security.sql. */
const readerRole = 'sluice_reader'
const organizationSetting = 'sluice.organization_id'
const retryAfterSeconds = '2'

/** @returns reads whose failure, if it may pass, is thrown as a Problem. */
export function createStore(postgres: Pick<PostgresPool, 'query' | 'reading'>): Store {
  return {
    of: (organizationId) => ({
      organizationId,
      ...refusing(postgres.reading({ role: readerRole, [organizationSetting]: organizationId }))
    }),
    accounts: refusing(postgres)
  }
}

function refusing(store: Queryable): Queryable {
  return {
    query: async <R extends Row>(statement: string, values?: readonly unknown[]) => {
      try {
        return await store.query<R>(statement, values)
      } catch (cause) {
        throw isTransientStoreError(cause) ? storeUnavailable(cause) : cause
      }
    }
  }
}

function storeUnavailable(cause: unknown): Problem {
  return new Problem('store_unavailable', {
    detail: 'The store does not answer; nothing is lost, try again shortly.',
    headers: { 'retry-after': retryAfterSeconds },
    cause
  })
}
