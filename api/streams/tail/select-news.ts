/** Selects what a tail shows: new decisions, and the state of their evaluations. */
import { scoresSql } from '../../../store/packed-sql.ts'
import type { Row } from '../../../platform/postgres/postgres.ts'
import { textCondition } from '../../../platform/postgres/text-condition.ts'
import { agentCondition } from '../../profiles/measures/agent-condition.ts'
import { agentIdOf } from '../../profiles/agent-name.ts'
import type { DecisionKey } from '../../decisions/list/scan-decisions.ts'
import { onDays, selectDays } from '../../decision-days.ts'
import type { OrganizationStore } from '../../store.ts'
import type { TailFilters } from './tail-filters.ts'
import type { TailPlace } from './tail-place.ts'

/** So many are looked at in one go; the index alone answers, so it takes milliseconds. */
export const keysMax = 5000
/** Scores of one decision that a tail tells of: a look is at many decisions. */
export const toldScoresBytesMax = 8192

export interface EvaluationState {
  readonly status: string
  readonly reason: string | null
  readonly verdict: string
  /** JSON text: `{name: {value, label, passed}}`, or `null` where there are too many of them. */
  readonly scores: string
}

/** The newest received since a moment, or not told at a place of a tail, newest first. */
export function selectKeys(
  store: OrganizationStore,
  since: Date | TailPlace,
  filters: TailFilters = {}
): Promise<DecisionKey[]> {
  const values: unknown[] = []
  const parameter = (value: unknown): string => `$${values.push(value)}`
  const conditions = [`organization_id = ${parameter(store.organizationId)}`]
  if (since instanceof Date) {
    conditions.push(`received_at > ${parameter(since.toISOString())}::timestamptz`)
  } else {
    conditions.push(...conditionsOf(since, parameter))
  }
  const { agent_id } = filters
  if (agent_id !== undefined) conditions.push(agentCondition(agentIdOf(agent_id), parameter))
  for (const column of ['session_id', 'domain'] as const) {
    const value = filters[column]
    if (value !== undefined) conditions.push(textCondition(column, value, parameter(value)))
  }
  return store.query<DecisionKey>(
    `select decision_id, null::float8 as value,
            to_char(received_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as sort_key
       from decisions
      where ${conditions.join('\n        and ')}
      order by received_at desc, decision_id desc
      limit ${keysMax}`,
    values
  )
}

/** The first of them leaves out whole days. A transaction is the younger the later it began. */
function conditionsOf(
  { position, look }: TailPlace,
  parameter: (value: unknown) => string
): readonly string[] {
  const time = `${parameter(position.sort_key)}::timestamptz`
  const isBehind = `(received_at, decision_id) > (${time}, ${parameter(position.id)}::uuid)`
  if (look === null) return [`received_at >= ${time}`, isBehind]
  const isSince = (horizon: string): string => `age(xmin) <= age(${parameter(horizon)}::xid8::xid)`
  return [
    `received_at > ${parameter(new Date(look.from).toISOString())}::timestamptz`,
    isSince(look.before),
    `(${isSince(look.at)} or ${isBehind})`
  ]
}

interface StateRow extends EvaluationState, Row {
  readonly decision_id: string
}

/**
 * Those that differ from "pending, and nothing known".
 * @param scoresBytesMax of one decision; without it, as many as there are
 */
export async function selectStates(
  store: OrganizationStore,
  decisionIds: readonly string[],
  scoresBytesMax?: number
): Promise<ReadonlyMap<string, EvaluationState>> {
  if (decisionIds.length === 0) return new Map()
  const days = await selectDays(store, decisionIds)
  const rows = await store.query<StateRow>(
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

export interface Progress {
  /** All offsets that are settled, added up; it differs when something was stored. */
  readonly settled: string
  /** Null while storage has not reported yet. */
  readonly as_of: Date | null
  /** Whatever transactions before this one have written is visible from now on. */
  readonly horizon: string
}

/** How far storage has come, by topic; the same for all organizations. */
export async function selectProgress(
  store: OrganizationStore,
  topics: readonly string[]
): Promise<Readonly<Record<string, Progress>>> {
  const rows = await store.query<Progress & Row & { topic: string }>(
    `select wanted.topic, coalesce(sum(next_offset)::text, '') as settled,
            nullif(min(as_of), 'epoch') as as_of,
            pg_snapshot_xmin(pg_current_snapshot())::text as horizon
       from unnest($1::text[]) as wanted(topic)
       left join storage_progress on storage_progress.topic = wanted.topic
      group by wanted.topic`,
    [topics]
  )
  return Object.fromEntries(rows.map(({ topic, ...progress }) => [topic, progress]))
}
