/** The store as the routes see it: one organization at a time, and 503 when it is away. */
import { Problem } from '../core/problem.ts'
import { isTransientStoreError } from '../platform/postgres/postgres.ts'
import type { Postgres, PostgresPool, Queryable, Row } from '../platform/postgres/postgres.ts'
import { createFairShare } from '../http/admission/fair-share.ts'

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

/** Sees the rows of the organization that the transaction names; see 0001-roles.sql. */
const readerRole = 'sluice_reader'
/** May also change rows of that organization, as granted by table; see 0001-roles.sql. */
const editorRole = 'sluice_editor'
/** Reads and changes accounts, and sees no decision or evaluation; see 0001-roles.sql. */
export const accountsRole = 'sluice_accounts'
const organizationSetting = 'sluice.organization_id'
const retryAfterSeconds = '2'
/**
 * Of the connections that all organizations share, one of them has so many at most: who searches
 * in thirty windows would leave none for others to log in with.
 */
export const readsAtOnceMax = 4
export const changesAtOnceMax = 3
/** Of one organization: about what is read in the time, and no longer than for a connection. */
const waiting = { waitingMax: 250, waitMsMax: 3000 }

/** @returns reads and changes whose failure, if it may pass, is thrown as a Problem. */
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
