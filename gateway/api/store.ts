/** The store as the routes see it: one organization at a time, and 503 when it is away. */
import { Problem } from '../../core/problem.ts'
import { isTransientStoreError } from '../../platform/postgres.ts'
import type { Postgres, PostgresPool, Queryable, Row } from '../../platform/postgres.ts'

/** What one organization may read and change: the server hides the rows of all others. */
export interface OrganizationStore extends Queryable {
  readonly organizationId: string
  /** Changes what the organization says of its evaluation: all that `work` does, or nothing. */
  readonly change: Postgres['transaction']
}

export interface Store {
  /** There is no other way to the rows of tenants than to say whose. */
  of(organizationId: string): OrganizationStore
  /** Who logs in is read before anybody knows the organization. */
  readonly accounts: AccountStore
}

/** People, sessions, keys and organizations, of all of them: name the person or the digest. */
export interface AccountStore extends Queryable {
  /** All that `work` does, or nothing. */
  readonly change: Postgres['transaction']
}

/** Sees nothing of an organization unless it is told which; see 0008-row-security.sql. */
const readerRole = 'sluice_reader'
/** May change what is granted to it, of that organization; see 0010-evaluation.sql. */
const editorRole = 'sluice_editor'
/** Reaches people and what they hold, and nothing that was sent; see 0013-accounts.sql. */
export const accountsRole = 'sluice_accounts'
const organizationSetting = 'sluice.organization_id'
const retryAfterSeconds = '2'

/** @returns reads and changes whose failure, if it may pass, is thrown as a Problem. */
export function createStore(postgres: Pick<PostgresPool, 'reading' | 'changing'>): Store {
  return {
    of: (organizationId) => {
      const settingsOf = (role: string) => ({ role, [organizationSetting]: organizationId })
      const change = postgres.changing(settingsOf(editorRole))
      return {
        organizationId,
        ...refusing(postgres.reading(settingsOf(readerRole))),
        change: (work) => refuseOutage(change(work))
      }
    },
    accounts: {
      ...refusing(postgres.reading({ role: accountsRole })),
      change: (work) => refuseOutage(postgres.changing({ role: accountsRole })(work))
    }
  }
}

function refusing(store: Queryable): Queryable {
  return {
    query: <R extends Row>(statement: string, values?: readonly unknown[]) =>
      refuseOutage(store.query<R>(statement, values))
  }
}

async function refuseOutage<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (cause) {
    const isOutage = !(cause instanceof Problem) && isTransientStoreError(cause)
    throw isOutage ? storeUnavailable(cause) : cause
  }
}

function storeUnavailable(cause: unknown): Problem {
  return new Problem('store_unavailable', {
    detail: 'The store does not answer; nothing is lost, try again shortly.',
    headers: { 'retry-after': retryAfterSeconds },
    cause
  })
}
