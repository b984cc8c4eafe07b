/** Selects the data for tails: new decisions, their evaluations, and the progress of storage. Also
 * defines the filters of tails.
 */
import { number, optional } from '../../../http/schema.ts'
import type { Static, TObject } from '../../../http/schema.ts'
import type { Row } from '../../../platform/postgres/postgres.ts'
import { and, query, sql } from '../../../platform/postgres/sql.ts'
import type { Sql } from '../../../platform/postgres/sql.ts'
import { textEquals } from '../../../platform/postgres/text-condition.ts'
import { scoresSql } from '../../../store/packed-sql.ts'
import { filterSchemas, isOfAgent } from '../../decisions/filters.ts'
import { onDays, selectDays } from '../../decisions/queries.ts'
import type { DecisionKey } from '../../decisions/queries.ts'
import { sortKey, textFilter } from '../../page.ts'
import { agentIdOf } from '../../profiles/agent-name.ts'
import { evaluationStatus, verdict } from '../../response-schemas.ts'
import type { OrganizationStore } from '../../store.ts'
import type { TailId } from './tail-id.ts'

/** Filters of a live tail: conditions on decisions and their evaluations, and a sampling rate. */
export const tailFilterSchemas = {
  agent_id: optional(filterSchemas.agent_id),
  session_id: optional(filterSchemas.session_id),
  domain: optional(textFilter('Only decisions of this domain.', 100)),
  status: optional({
    ...evaluationStatus,
    type: 'string',
    description:
      'Only decisions whose evaluation has this status. Each is shown as soon as its ' +
      'evaluation has the status.'
  }),
  verdict: optional({
    ...verdict,
    type: 'string',
    description: 'Only decisions with this verdict. Each is shown as soon as it has the verdict.'
  }),
  sample: optional(
    number({
      minimum: 0,
      maximum: 1,
      description:
        'The share of decisions to show, from 0 to 1. All tails with the same share show the ' +
        'same decisions.'
    })
  )
}
export type TailFilters = Static<TObject<typeof tailFilterSchemas>>

/** Maximum number of keys per query. In a poll, an index-only scan returns them in milliseconds. */
const keysMax = 5000
/** Maximum size of a decision's scores in bytes. Low, because a poll reads many decisions. */
export const tailScoresBytesMax = 8192

export interface StoredEvaluation {
  readonly status: Static<typeof evaluationStatus>
  readonly reason: string | null
  readonly verdict: Static<typeof verdict>
  /** JSON: `{name: {value, label, passed}}`, or `null` if it is too long. */
  readonly scores: string
}

/**
 * Selects the keys of decisions, newest first, at most `keysMax`: those received since a time, or
 * those that a client with a tail id may have missed.
 */
export function selectKeys(
  store: OrganizationStore,
  since: Date | TailId,
  { agent_id, session_id, domain }: TailFilters = {}
): Promise<DecisionKey[]> {
  return query<DecisionKey>(
    store,
    sql`select decision_id, null::float8 as value, ${sortKey(sql`received_at`)}
          from decisions
         where ${and([
           sql`organization_id = ${store.organizationId}`,
           since instanceof Date ? sql`received_at > ${since}` : isUnseen(since),
           agent_id === undefined ? null : isOfAgent(sql`agent_id`, agentIdOf(agent_id)),
           session_id === undefined ? null : textEquals(sql`session_id`, session_id),
           domain === undefined ? null : textEquals(sql`domain`, domain)
         ])}
         order by received_at desc, decision_id desc
         limit ${keysMax}`
  )
}

/**
 * Matches rows that a client with this tail id may have missed. The condition on `received_at`
 * alone lets Postgres skip partitions. For later transactions, `age(xmin)` is smaller.
 */
function isUnseen({ position: { sort_key, id }, bounds }: TailId): Sql {
  const isAfter = sql`(received_at, decision_id) > (${sort_key}::timestamptz, ${id}::uuid)`
  if (bounds === null) return sql`received_at >= ${sort_key}::timestamptz and ${isAfter}`
  const isSince = (horizon: string) => sql`age(xmin) <= age(${horizon}::xid8::xid)`
  return sql`received_at > ${new Date(bounds.from)}
         and ${isSince(bounds.before)}
         and (${isSince(bounds.at)} or ${isAfter})`
}

/**
 * Selects stored evaluations, and those known to have no runs. All others are pending.
 * @param scoresBytesMax the maximum size of a decision's scores in bytes; unlimited by default
 */
export async function selectStates(
  store: OrganizationStore,
  decisionIds: readonly string[],
  scoresBytesMax?: number
): Promise<ReadonlyMap<string, StoredEvaluation>> {
  if (decisionIds.length === 0) return new Map()
  const days = await selectDays(store, decisionIds)
  const rows = await store.query<Row & StoredEvaluation & { decision_id: string }>(
    `select decision_id, status, reason, verdict,
            case when octet_length(scores) > $3 then 'null' else scores end as scores
       from (select decision_id, status, reason, verdict, ${scoresSql}::text as scores
               from evaluations e
              where organization_id = $1
                and decision_id = any($2::uuid[])
                and ${onDays('received_at', '$4')}) as known
      union all
     select decision_id, 'not_evaluated', null, 'none', '{}'
       from evaluation_plans
      where organization_id = $1
        and decision_id = any($2::uuid[])
        and runs = 0
        and not exists (select from evaluations o
                         where o.organization_id = $1
                           and o.decision_id = evaluation_plans.decision_id
                           and ${onDays('o.received_at', '$4')})`,
    [store.organizationId, decisionIds, scoresBytesMax ?? null, days]
  )
  return new Map(rows.map(({ decision_id, ...state }) => [decision_id, state]))
}

export interface StorageProgress {
  /** Sum of the committed offsets of all partitions. Changes whenever a record is stored. */
  readonly settled: string
  /** Null if storage has not reported yet. */
  readonly as_of: Date | null
  /** A transaction id. All transactions with lower ids have ended, so their rows are visible. */
  readonly horizon: string
}

/** Selects the storage progress of topics. It does not depend on the organization. */
export function selectProgress(store: OrganizationStore, topics: readonly string[]) {
  return query<StorageProgress & { readonly topic: string }>(
    store,
    sql`select wanted.topic, coalesce(sum(next_offset)::text, '') as settled,
               nullif(min(as_of), 'epoch') as as_of,
               pg_snapshot_xmin(pg_current_snapshot())::text as horizon
          from unnest(${topics}::text[]) as wanted(topic)
          left join storage_progress on storage_progress.topic = wanted.topic
         group by wanted.topic`
  )
}
