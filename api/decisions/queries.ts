/** Reads decisions from Postgres: rows, summaries, texts, sizes, times and facets. */
import type { EvaluationStatus } from '../../core/evaluation/evaluation-status.ts'
import type { Verdict } from '../../core/evaluation/evaluation.ts'
import type { Static, TObject } from '../../http/schema.ts'
import { and, query, raw, sql } from '../../platform/postgres/sql.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { scoresSql } from '../../store/packed-sql.ts'
import { sortKey } from '../page.ts'
import { inputStartChars, outputStartChars } from '../preview.ts'
import { agentIdOf, agentNameOf } from '../profiles/agent-name.ts'
import { isSource, sourceOf } from '../stats/metrics.ts'
import { selectTopGroups } from '../stats/select-sums.ts'
import type { SumGroupName } from '../stats/sum-sources.ts'
import type { HourRange } from '../stats/time-buckets.ts'
import type { OrganizationStore } from '../store.ts'
import type { TimeRange } from '../time-range.ts'
import type { DecisionFilters } from './filters.ts'
import { storedMembers } from './schemas.ts'
import type { measuredMembers } from './schemas.ts'

export interface DecisionRow {
  readonly decision_id: string
  readonly received_at: Date
  readonly stored_at: Date
  /** JSON, like `output` and `metadata`. */
  readonly input: string
  readonly output: string
  readonly agent_id: string | null
  readonly session_id: string | null
  readonly domain: string | null
  readonly metadata: string | null
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  readonly sdk_version: string | null
}

/** The columns of `DecisionRow`. */
export const decisionColumns = sql`decision_id, received_at, stored_at, input, output, agent_id,
  session_id, domain, metadata, input_tokens, output_tokens, sdk_version`

/** The columns of `measuredMembers`. Postgres computes the sizes without reading the texts. */
const measuredColumns = sql`octet_length(input) as input_bytes,
  octet_length(output) as output_bytes, octet_length(metadata) as metadata_bytes,
  (select encode(i.fingerprint, 'hex')
     from decision_ids i
    where i.organization_id = decisions.organization_id
      and i.decision_id = decisions.decision_id) as fingerprint`

export type WholeRow = DecisionRow & Static<TObject<typeof measuredMembers>>

export function selectDecision(store: OrganizationStore, decisionId: string) {
  return selectOne<DecisionRow>(store, decisionColumns, decisionId)
}

/** Selects a decision with its sizes and its fingerprint. */
export function selectWholeDecision(store: OrganizationStore, decisionId: string) {
  return selectOne<WholeRow>(store, sql`${decisionColumns}, ${measuredColumns}`, decisionId)
}

/** Returns the time at which the decision was stored, or null. Does not read its texts. */
export async function selectStoredAt(store: OrganizationStore, decisionId: string) {
  const row = await selectOne<{ stored_at: Date }>(store, sql`stored_at`, decisionId)
  return row?.stored_at ?? null
}

export interface DecisionPlace extends DecisionKey {
  readonly session_id: string | null
  readonly trace_id: string | null
}

/** Selects the key of a decision, its session and its trace. */
export function selectPlace(store: OrganizationStore, decisionId: string) {
  const place = sql`decision_id, session_id, trace_id, ${sortKey(sql`received_at`)}`
  return selectOne<DecisionPlace>(store, place, decisionId)
}

/**
 * Postgres evaluates the subquery first and opens only the partition of the decision; with a join,
 * it would open all partitions.
 */
async function selectOne<R extends object>(store: OrganizationStore, selected: Sql, id: string) {
  const [row] = await query<R>(
    store,
    sql`select ${selected}
          from decisions
         where organization_id = ${store.organizationId}
           and decision_id = ${id}
           and received_at = (select i.received_at
                                from decision_ids i
                               where i.organization_id = ${store.organizationId}
                                 and i.decision_id = ${id})`
  )
  return row ?? null
}

/**
 * Returns which of the given decisions are stored. Reads their times first, so that the query on
 * `decisions` opens only the partitions that contain them.
 */
export async function selectStoredIds(
  store: OrganizationStore,
  decisionIds: readonly string[]
): Promise<ReadonlySet<string>> {
  const keys = await selectKeys(store, decisionIds)
  const rows = await selectAt<{ decision_id: string }>(store, sql`decision_id`, keys)
  return new Set(rows.map(({ decision_id }) => decision_id))
}

/**
 * Selects the times of decisions, so that reads of tables partitioned by day open only a few
 * partitions. A separate statement is needed, because Postgres prunes partitions by parameter
 * values but not by the rows of a join.
 * @returns null if any decision is not stored, because its runs can then be in any partition
 */
export async function selectDays(
  store: OrganizationStore,
  decisionIds: readonly string[]
): Promise<readonly Date[] | null> {
  const rows = await query<{ received_at: Date }>(
    store,
    sql`select received_at
          from decision_ids
         where organization_id = ${store.organizationId}
           and decision_id = any(${decisionIds}::uuid[])`
  )
  if (rows.length < new Set(decisionIds).size) return null
  return rows.map(({ received_at }) => received_at)
}

/**
 * Returns an SQL condition that restricts a column to the times of the decisions.
 * @param parameter the placeholder for the result of `selectDays`, for example `$3`
 */
export function onDays(column: string, parameter: string): string {
  return `(${parameter}::timestamptz[] is null or ${column} = any(${parameter}::timestamptz[]))`
}

/** Key of a decision: its id, and `received_at` with microseconds. */
export interface DecisionKey {
  readonly decision_id: string
  readonly sort_key: string
}

export type SummaryRow = Static<TObject<typeof storedMembers & typeof measuredMembers>> &
  SizedKey & { readonly input_start: string; readonly output_start: string }

/**
 * The key of a decision, and the size in bytes of its texts. In rows from `selectSizes`, the size
 * includes the scores. Postgres computes the size without returning the texts.
 */
export interface SizedKey extends DecisionKey {
  readonly bytes: number
}

const textBytes = sql`octet_length(input) + octet_length(output)
              + coalesce(octet_length(metadata), 0)`

/** Selects summaries in the order of `keys`. Omits decisions that have been erased. */
export function selectSummaries(store: OrganizationStore, keys: readonly DecisionKey[]) {
  const summary = sql`${raw(Object.keys(storedMembers).join(', '))},
            left(input, ${inputStartChars}) as input_start,
            left(output, ${outputStartChars}) as output_start,
            ${sortKey(sql`received_at`)}, ${textBytes} as bytes, ${measuredColumns}`
  return selectFound<SummaryRow>(store, summary, keys)
}

/**
 * Selects the sizes of decisions, including their scores, in the order of `keys`. Omits decisions
 * that have been erased.
 */
export function selectSizes(store: OrganizationStore, keys: readonly DecisionKey[]) {
  const sizes = sql`decision_id, ${sortKey(sql`received_at`)}, ${textBytes}
              + coalesce((select octet_length(${raw(scoresSql)}::text)
                            from evaluations e
                           where e.organization_id = decisions.organization_id
                             and e.decision_id = decisions.decision_id
                             and e.received_at = decisions.received_at), 0) as bytes`
  return selectFound<SizedKey>(store, sizes, keys)
}

/**
 * Selects rows by key, then looks up the missing ones by id. A key read from `evaluations` can
 * contain the time of a duplicate that a retry sent.
 */
async function selectFound<R extends DecisionKey>(
  store: OrganizationStore,
  selected: Sql,
  keys: readonly DecisionKey[]
): Promise<readonly R[]> {
  const found = new Map<string, R>()
  const add = async (positions: readonly DecisionKey[]) => {
    for (const row of await selectAt<R>(store, selected, positions)) found.set(row.decision_id, row)
  }
  await add(keys)
  const missing = keys.map(({ decision_id }) => decision_id).filter((id) => !found.has(id))
  await add(await selectKeys(store, missing))
  return keys.flatMap(({ decision_id }) => found.get(decision_id) ?? [])
}

async function selectKeys(
  store: OrganizationStore,
  decisionIds: readonly string[]
): Promise<readonly DecisionKey[]> {
  if (decisionIds.length === 0) return []
  return await query<DecisionKey>(
    store,
    sql`select decision_id, ${sortKey(sql`received_at`)}
          from decision_ids
         where organization_id = ${store.organizationId}
           and decision_id = any(${decisionIds}::uuid[]) and erased_at is null`
  )
}

/** Selects columns of `decisions` by the exact keys. */
export async function selectAt<R extends object>(
  store: OrganizationStore,
  selected: Sql,
  keys: readonly DecisionKey[]
): Promise<readonly R[]> {
  if (keys.length === 0) return []
  const times = keys.map(({ sort_key }) => sort_key)
  const statement = sql`select ${selected} from decisions where ${ofKeys(store, keys, times)}`
  return await query<R>(store, statement)
}

/**
 * Returns a condition that selects rows by key. The times are parameters, so that Postgres opens
 * only the partitions that contain them.
 */
function ofKeys(
  store: OrganizationStore,
  decisions: readonly Pick<DecisionKey, 'decision_id'>[],
  times: readonly (Date | string)[]
): Sql {
  return sql`organization_id = ${store.organizationId}
        and decision_id = any(${decisions.map(({ decision_id }) => decision_id)}::uuid[])
        and received_at = any(${times}::timestamptz[])`
}

/** Selects the full texts of decisions, by decision id. */
export async function selectPayloads(store: OrganizationStore, keys: readonly DecisionKey[]) {
  const payload = sql`decision_id, input, output, metadata`
  type PayloadRow = Pick<DecisionRow, 'decision_id' | 'input' | 'output' | 'metadata'>
  const rows = await selectAt<PayloadRow>(store, payload, keys)
  return new Map(rows.map((row) => [row.decision_id, row]))
}

/**
 * Selects the stored results of finished evaluations by decision id, so that their runs need not be
 * read. Omits evaluations that have pending runs or are not stored.
 */
export async function selectSettled(
  store: OrganizationStore,
  decisions: readonly Pick<SummaryRow, 'decision_id' | 'received_at'>[]
) {
  const times = decisions.map(({ received_at }) => received_at)
  const rows = await query<{ decision_id: string; status: EvaluationStatus; verdict: Verdict }>(
    store,
    sql`select decision_id, status, verdict
          from evaluations
         where ${ofKeys(store, decisions, times)}
           and status in ('evaluated', 'partial', 'failed', 'not_evaluated')
           and not exists (select
                             from pending_runs r
                            where r.organization_id = ${store.organizationId}
                              and r.decision_id = evaluations.decision_id)`
  )
  return new Map(rows.map((row) => [row.decision_id, row]))
}

/** Counts decisions from hourly sums. The hours at both ends of the range count in full. */
export async function sumDecisions(
  store: OrganizationStore,
  { from, to }: TimeRange,
  { agent_id, domain }: Pick<DecisionFilters, 'agent_id' | 'domain'>
): Promise<number> {
  const [row] = await query<{ decisions: number }>(
    store,
    sql`select coalesce(sum(decisions), 0)::bigint as decisions
          from decision_hours
         where ${and([
           sql`organization_id = ${store.organizationId}`,
           sql`hour >= date_trunc('hour', ${from}::timestamptz, 'UTC')`,
           to && sql`hour < ${to}`,
           agent_id === undefined ? null : sql`agent_id = ${agentIdOf(agent_id)}`,
           domain === undefined ? null : sql`domain = any(${domain}::text[])`
         ])}`
  )
  return row?.decisions ?? 0
}

interface FacetQuery extends HourRange {
  readonly agent_id: string | undefined
  readonly groupsMax: number
}

/**
 * Selects the most frequent values of a field with the number of their decisions, largest first.
 * Decisions without a value count under null, or under `_unattributed` if the field is `agent_id`.
 */
export async function selectFacets(
  store: OrganizationStore,
  field: SumGroupName,
  { agent_id, ...hours }: FacetQuery
) {
  const filters = { agentId: agent_id === undefined ? undefined : agentIdOf(agent_id) }
  const source = sourceOf('count', [field], false)
  if (!isSource(source)) throw new Error(`no hourly sums have the field ${field}`)
  const groups = await selectTopGroups(store, source, { groups: [field], filters, ...hours })
  return groups.map(({ key, size }) => {
    const [value = null] = JSON.parse(key) as (string | null)[]
    return { value: field === 'agent_id' ? agentNameOf(value ?? '') : value, decisions: size }
  })
}
