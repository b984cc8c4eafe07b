/** Database access for routes, scoped to one organization. Reports 503 if Postgres is unavailable.
 */
import { Problem } from '../core/problem.ts'
import { isTransientPostgresError } from '../platform/postgres/postgres.ts'
import type { Postgres, PostgresPool, Queryable, Row } from '../platform/postgres/postgres.ts'
import { createFairShare } from '../http/admission/fair-share.ts'

/** Reads and changes the rows of one organization. Row-level security hides all other rows. */
export interface OrganizationStore extends Queryable {
  readonly organizationId: string
  /** Runs a transaction that can change rows of the organization. */
  readonly change: Postgres['transaction']
}

export interface Store {
  /**
   * Returns access to the rows of one organization. Except for accounts, tenant data can only be
   * accessed this way, so every access names the organization.
   */
  of(organizationId: string): OrganizationStore
  /** Access to accounts, which login needs before the organization is known. */
  readonly accounts: AccountStore
}

/**
 * Reads and changes users, sessions, API keys and organizations of all tenants. Row-level security
 * does not hide any of these rows, so each statement must filter them, for example by user id,
 * email or token digest.
 */
export interface AccountStore extends Queryable {
  readonly change: Postgres['transaction']
}

/**
 * Role that reads only the rows of the organization that the transaction sets. See 0001-roles.sql.
 */
const readerRole = 'sluice_reader'
/**
 * Role that reads rows of the organization that the transaction sets, and changes them in the
 * tables it has grants for. See 0001-roles.sql.
 */
const editorRole = 'sluice_editor'
/**
 * Role that reads and changes accounts, but has no access to decisions or evaluations. See
 * 0001-roles.sql.
 */
export const accountsRole = 'sluice_accounts'
const organizationSetting = 'sluice.organization_id'
/**
 * Maximum number of shared connections that one organization can use. Without this limit, a user
 * with thirty open searches would leave no connections for logins.
 */
export const readsAtOnceMax = 4
const changesAtOnceMax = 3
/** Limits of the queue per organization. About 250 calls can complete within the maximum wait. */
const waiting = { waitingMax: 250, waitMsMax: 3000 }

/** Creates a store. Its reads and changes throw a 503 Problem for transient failures. */
export function createStore(postgres: Pick<PostgresPool, 'reading' | 'changing'>): Store {
  const reads = createFairShare({ what: 'reads', atOnceMax: readsAtOnceMax, ...waiting })
  const changes = createFairShare({ what: 'changes', atOnceMax: changesAtOnceMax, ...waiting })
  const accounts = postgres.reading({ role: accountsRole })
  return {
    of: (organizationId) => {
      const settingsOf = (role: string) => ({ role, [organizationSetting]: organizationId })
      const reading = postgres.reading(settingsOf(readerRole))
      const change = postgres.changing(settingsOf(editorRole))
      return {
        organizationId,
        query: <R extends Row>(statement: string, values?: readonly unknown[]) =>
          refuseOutage(reads(organizationId, () => reading.query<R>(statement, values))),
        change: (work) => refuseOutage(changes(organizationId, () => change(work)))
      }
    },
    accounts: {
      query: <R extends Row>(statement: string, values?: readonly unknown[]) =>
        refuseOutage(accounts.query<R>(statement, values)),
      change: (work) => refuseOutage(postgres.changing({ role: accountsRole })(work))
    }
  }
}

async function refuseOutage<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (cause) {
    if (cause instanceof Problem || !isTransientPostgresError(cause)) throw cause
    throw new Problem('store_unavailable', {
      detail: 'The database does not respond. No data is lost. Retry shortly.',
      headers: { 'retry-after': '2' },
      cause
    })
  }
}
