/** Small stateful stand-ins for what the reads are given: a store, a timer, a caller. */
import { Problem } from '../../../core/problem.ts'
import type { Principal, SessionPrincipal } from '../../../core/principal.ts'
import type { Call } from '../../../http/call.ts'
import type { CheckedCall } from '../../../http/route.ts'
import type { Poll } from '../../../api/poll.ts'
import type { Store } from '../../../api/store.ts'
import type { Postgres, Queryable, Row } from '../../../platform/postgres/postgres.ts'

export const organizationId = '01938c4e-2222-7000-8000-5b7a9f002f6d'
export const decisionId = '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55'
export const now = Date.UTC(2026, 0, 31, 12)

export const clock = { now: () => now }

export const claims = {
  organization_id: organizationId,
  user_id: '01938c4e-1111-7000-8000-5b7a9f002f6d',
  role: 'owner',
  session_id: '01938c4e-3333-7000-8000-5b7a9f002f6d'
}

export const person: SessionPrincipal = { kind: 'session', ...claims }

export function callOf(members: Partial<Call> = {}): Call {
  return {
    request_id: 'request-1',
    remote_address: '192.0.2.1',
    headers: {},
    params: {},
    query: {},
    readBody: () => Promise.resolve(Buffer.alloc(0)),
    signal: new AbortController().signal,
    ...members
  }
}

export function checkedCallOf<P extends Principal | null>(
  principal: P,
  members: Partial<CheckedCall> = {}
): CheckedCall<P> {
  return { ...callOf(), body: undefined, ...members, principal }
}

/** Rows by table; a query gets those of its organization from the first table that it names. */
export class FakeStore implements Queryable, Store {
  readonly rows: Record<string, Row[]> = {
    decisions: [],
    evaluation_runs: [],
    storage_progress: [],
    users: []
  }
  readonly asked: { readonly table: string; readonly values: readonly unknown[] }[] = []
  failure: Error | null = null
  /** What each reading was to be confined to. */
  readonly settings: Readonly<Record<string, string>>[] = []

  reading(settings: Readonly<Record<string, string>>): Queryable {
    this.settings.push(settings)
    return this
  }

  changing(settings: Readonly<Record<string, string>>): Postgres['transaction'] {
    this.settings.push(settings)
    return (work) => work(this)
  }

  of(organizationId: string) {
    const change: Postgres['transaction'] = (work) => work(this)
    return { organizationId, change, query: this.query.bind<Queryable['query']>(this) }
  }

  get accounts() {
    return { query: this.query.bind<Queryable['query']>(this), change: this.transaction }
  }

  readonly transaction: Postgres['transaction'] = (work) => work(this)

  async query<R extends Row>(statement: string, values: readonly unknown[] = []): Promise<R[]> {
    if (this.failure !== null) throw this.failure
    const table = /from (\w+)/.exec(statement)?.[1] ?? ''
    this.asked.push({ table, values })
    const rows = this.rows[table] ?? []
    return rows.filter((row) => isFor(row, values)) as R[]
  }
}

/** Without an organization of its own, a row is for everybody. */
function isFor(row: Row, values: readonly unknown[]): boolean {
  const owner = row['organization_id']
  return owner === undefined || row['email'] !== undefined
    ? row['email'] === undefined || values.includes(row['email'])
    : values[0] === owner
}

/** Reads until it is enough, at most `readsMax` times, without any time passing. */
export function createEagerPoll(readsMax: number): Poll {
  return async function poll(read, isEnough, { waitMs }) {
    let value = await read()
    for (let reads = 1; reads < readsMax && waitMs > 0 && !isEnough(value); reads++) {
      value = await read()
    }
    return value
  }
}

/** The problem that something was refused with. */
export async function problemOf(outcome: Promise<unknown> | (() => unknown)): Promise<Problem> {
  try {
    await (typeof outcome === 'function' ? outcome() : outcome)
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error('nothing was refused')
}
