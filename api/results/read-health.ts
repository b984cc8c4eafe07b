/** GET /v1/evaluation/health: whether evaluation keeps up, and every run is accounted for. */
import type { Clock } from '../../core/clock.ts'
import { jsonReply } from '../../http/call.ts'
import type { PrincipalHandle } from '../../http/route.ts'
import type { OrganizationStore, Store } from '../store.ts'
import { lagOf, readWatermark } from '../watermark.ts'
import { readConservation } from './read-conservation.ts'

export interface HealthDependencies {
  readonly store: Store
  readonly evaluationsTopic: string
  readonly clock: Clock
}

const nanoPerUsd = 1_000_000_000
/** Bounds on what is counted: a larger number would change nothing about what to do. */
const openMax = 100_000
const deferredMax = 100_000

export function createReadHealth(dependencies: HealthDependencies): PrincipalHandle {
  const { store, evaluationsTopic, clock } = dependencies

  return async function readHealth(call) {
    const ours = store.of(call.principal.organization_id)
    // The watermark before the rows: whatever it promises is then among them.
    const watermark = await readWatermark(ours, evaluationsTopic)
    const answer = {
      ...lagOf(watermark, clock),
      ...(await readBacklog(ours)),
      deferred: await countDeferred(ours),
      circuits: await readCircuits(ours),
      spend_today: await readSpend(ours),
      conservation: await readConservation(ours, watermark.as_of, clock.now())
    }
    return jsonReply(200, JSON.stringify(answer))
  }
}

async function readBacklog(store: OrganizationStore) {
  const rows = await store.query<{ status: string; n: number; oldest_s: number }>(
    `select status, count(*) as n,
            floor(extract(epoch from now() - min(scheduled_at)))::float8 as oldest_s
       from (select status, scheduled_at
               from open_runs
              where organization_id = $1
              limit ${openMax}) open
      group by status`,
    [store.organizationId]
  )
  const statuses = ['scheduled', 'running', 'retrying', 'blocked', 'finished']
  const countOf = (status: string): number => rows.find((row) => row.status === status)?.n ?? 0
  const waiting = rows.filter(({ status }) => status !== 'finished')
  return {
    backlog: waiting.reduce((sum, { n }) => sum + n, 0),
    oldest_pending_s: waiting.length === 0 ? null : Math.max(...waiting.map((row) => row.oldest_s)),
    by_status: Object.fromEntries(statuses.map((status) => [status, countOf(status)]))
  }
}

async function countDeferred(store: OrganizationStore): Promise<number> {
  const [row] = await store.query<{ decisions: number }>(
    `select count(*) as decisions
       from (select from deferred_decisions where organization_id = $1 limit ${deferredMax}) found`,
    [store.organizationId]
  )
  return row?.decisions ?? 0
}

async function readCircuits(store: OrganizationStore) {
  return await store.query(
    `select c.connection_id, c.name as connection, coalesce(t.state, 'closed') as state, t.reason,
            t.since
       from evaluation_connections c
       left join connection_circuits t
         on t.organization_id = c.organization_id
        and t.connection_id = c.connection_id
      where c.organization_id = $1
        and c.deleted_at is null
      order by c.name
      limit 1000`,
    [store.organizationId]
  )
}

/** Of the UTC day. A call whose price is not known costs, and nobody knows how much. */
async function readSpend(store: OrganizationStore) {
  const rows = await store.query<{ calls: number; unpriced_calls: number; nano_usd: number }>(
    `select coalesce(sum(calls), 0)::bigint as calls,
            coalesce(sum(unpriced_calls), 0)::bigint as unpriced_calls,
            coalesce(sum(nano_usd), 0)::bigint as nano_usd
       from evaluation_spend
      where organization_id = $1
        and day = (now() at time zone 'utc')::date`,
    [store.organizationId]
  )
  const [{ calls = 0, unpriced_calls = 0, nano_usd = 0 } = {}] = rows
  return { calls, unpriced_calls, usd: nano_usd / nanoPerUsd }
}
