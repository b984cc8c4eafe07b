/** Reads pending, packed and later runs from Postgres, and cancels pending runs. */
import type { LaterRun } from '../../../core/evaluation/evaluation.ts'
import { usdOf } from '../../../core/evaluation/usd.ts'
import { and, query, sql } from '../../../platform/postgres/sql.ts'
import type { Sql } from '../../../platform/postgres/sql.ts'
import type { OrganizationStore } from '../../store.ts'
import { filterConditions, readBoundedPage } from '../bounded-page.ts'
import type { KeyedRow, ResultPage } from '../bounded-page.ts'
import { attemptsMax, openStatuses } from '../schemas.ts'
import type { ListedRun, RunAttempt, RunFilters } from '../schemas.ts'

/** A row of an ended or pending run. */
export interface RunRow extends ListedRun {
  /** JSON of the result, if the run has ended but is not stored yet. */
  readonly result: string | null
}

/** Columns of the row `s` that ended and pending runs share. */
const shared = sql`s.run_id, s.decision_id, s.rule_id, s.rule, s.evaluator_id, s.evaluator,
            s.evaluator_kind, s.evaluator_version, s.generation, s.replay_of, s.status,
            s.status_reason, s.attempts, s.scheduled_at, s.started_at, s.agent_id, s.session_id,
            s.domain`

const usd = sql`nano_usd / 1e9::float8 as usd`

const endedColumns = sql`${shared}, s.evaluated_at, s.superseded_by, null as next_attempt_at,
            null as expires_at, null as cancel_requested_at, s.error, s.http_status, s.provider,
            s.model, s.model_reported, s.input_tokens, s.output_tokens, ${usd}, s.latency_ms,
            s.duration_us, null as result`

const openColumns = sql`${shared}, s.finished_at as evaluated_at, null as superseded_by,
            s.next_attempt_at, s.expires_at, s.cancel_requested_at, null as error,
            null as http_status, null as provider, null as model, null as model_reported,
            null as input_tokens, null as output_tokens, null as usd, null as latency_ms,
            null as duration_us, s.result`

/**
 * Converts a run to its API form. If it has ended but is not stored yet, its result overrides the
 * outdated columns.
 */
export function runOf({ result, ...row }: RunRow): ListedRun {
  if (result === null) return row
  const { scheduled_at, started_at } = row
  const times = { scheduled_at, started_at, next_attempt_at: null, expires_at: null }
  return { ...row, ...endedMembersOf(JSON.parse(result) as LaterRun), ...times }
}

function endedMembersOf({ scores: _, config_hash: _hash, cost_nano_usd, ...run }: LaterRun) {
  return { ...run, usd: cost_nano_usd === null ? null : usdOf(cost_nano_usd) }
}

/**
 * Reads pending runs first. A run that ends between the reads is then found among the stored ones.
 */
export async function findRun(store: OrganizationStore, runId: string): Promise<RunRow | null> {
  const isWanted = sql`s.organization_id = ${store.organizationId} and s.run_id = ${runId}`
  const select = (columns: Sql, table: Sql) =>
    query<RunRow>(store, sql`select ${columns} from ${table} s where ${isWanted} limit 1`)
  const [open] = await select(openColumns, sql`pending_runs`)
  const [later] = await select(endedColumns, sql`later_runs`)
  // A pending run becomes a later run, never a packed one.
  return later ?? open ?? (await findPacked(store, runId)) ?? null
}

/**
 * Finds a packed run. A run id is the decision id XOR the mask of its run kind, so each of the few
 * masks yields one candidate decision. First searches only the partitions of the candidates.
 * Searches all partitions if that fails, because a decision may not be stored or its evaluation may
 * have a different time.
 */
async function findPacked(store: OrganizationStore, runId: string): Promise<RunRow | undefined> {
  const places = await query<{ decision_id: string; received_at: Date | null }>(
    store,
    sql`select possible.decision_id, i.received_at
          from (select distinct xor_ids(${runId}, run_mask) as decision_id
                  from run_kinds
                 where organization_id = ${store.organizationId}) as possible
          left join decision_ids i
            on i.organization_id = ${store.organizationId}
           and i.decision_id = possible.decision_id`
  )
  if (places.length === 0) return undefined
  const days = places.flatMap(({ received_at }) => received_at ?? [])
  const select = async (isOnDays: Sql | null): Promise<RunRow | undefined> => {
    const conditions = [
      sql`s.organization_id = ${store.organizationId} and s.run_id = ${runId}`,
      sql`s.decision_id = any(${places.map(({ decision_id }) => decision_id)}::uuid[])`,
      isOnDays
    ]
    const [row] = await query<RunRow>(
      store,
      sql`select ${endedColumns} from packed_runs s where ${and(conditions)} limit 1`
    )
    return row
  }
  const isOnDays = sql`s.received_at = any(${days}::timestamptz[])`
  return (days.length === 0 ? undefined : await select(isOnDays)) ?? (await select(null))
}

/**
 * Reads a page of pending and ended runs. Runs that have ended but are not stored yet are listed
 * once they are stored.
 */
export function readRunPage(store: OrganizationStore, page: ResultPage<RunFilters>) {
  const { status, status_reason } = page.filters
  const isOpen = openStatuses.some((open) => open === status)
  const isFew = status !== undefined && isUnsuccessful([status], status_reason)
  const open = {
    table: sql`pending_runs`,
    time: 'scheduled_at',
    condition: sql`status <> 'finished'`,
    columns: openColumns
  }
  const ended = { time: 'evaluated_at', columns: endedColumns }
  const packed = {
    ...ended,
    table: sql`packed_runs`,
    condition: isFew ? sql`has_unsuccessful` : null
  }
  const later = { ...ended, table: sql`later_runs`, condition: isFew ? isUnsuccessfulRow : null }
  return readBoundedPage<RunRow & KeyedRow>(store, page, {
    // Pending runs come first, so that a run that ends in between is found twice, not missed.
    sources: [
      ...(isOpen || status === undefined ? [open] : []),
      ...(isOpen ? [] : [packed, later])
    ],
    id: 'run_id',
    filters: filterConditions(page.filters, {
      ...filterColumns,
      status: 's.status =',
      kind: 's.evaluator_kind ='
    })
  })
}

/** Filter conditions shared by run lists and replays. */
export const filterColumns = {
  status_reason: 's.status_reason =',
  rule_id: 's.rule_id =',
  evaluator_id: 's.evaluator_id ='
}

const neverNotApplicable = new Set(['failed', 'expired', 'canceled'])

/**
 * Checks whether the filters select only runs that the partial index on unsuccessful runs contains.
 * The index excludes runs skipped as not applicable.
 */
export function isUnsuccessful(statuses: readonly string[], reason: string | undefined): boolean {
  if (statuses.length === 0 || statuses.includes('succeeded')) return false
  if (reason === 'not_applicable') return false
  return reason !== undefined || statuses.every((status) => neverNotApplicable.has(status))
}

/** The WHERE clause of the partial index, exactly as in the index definition. */
export const isUnsuccessfulRow = sql`status <> 'succeeded'
                and status_reason is distinct from 'not_applicable'`

/** Requests that a pending run be canceled. Returns whether the run was pending. */
export async function cancelRun(store: OrganizationStore, runId: string): Promise<boolean> {
  const cancel = sql`
    update pending_runs
       set cancel_requested_at = coalesce(cancel_requested_at, now()),
           cancel_reason = coalesce(cancel_reason, 'user')
     where organization_id = ${store.organizationId}
       and run_id = ${runId}
       and status <> 'finished'
    returning run_id`
  const canceled = await store.change((transaction) => query(transaction, cancel))
  return canceled.length > 0
}

/** Reads the newest calls that a run made, newest first. */
export function readAttempts(store: OrganizationStore, { decision_id, run_id }: RunRow) {
  return query<RunAttempt>(
    store,
    sql`select attempt, counted, started_at, finished_at, outcome, status_reason, http_status,
               error, model, model_reported, input_tokens, output_tokens, ${usd}, latency_ms, reply
          from run_attempts
         where organization_id = ${store.organizationId}
           and decision_id = ${decision_id}
           and run_id = ${run_id}
         order by attempt desc
         limit ${attemptsMax}`
  )
}

/** Reads the configuration of the evaluator version that a run uses, as JSON. */
export async function readConfig(store: OrganizationStore, run: RunRow): Promise<string | null> {
  const [version] = await query<{ config: string }>(
    store,
    sql`select config
          from evaluator_versions
         where organization_id = ${store.organizationId}
           and evaluator_id = ${run.evaluator_id}
           and version = ${run.evaluator_version}`
  )
  return version?.config ?? null
}
