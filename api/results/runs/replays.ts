/** Replays runs that ended without a score: each run at most once. */
import { pushRuleId } from '../../../core/evaluation/rule.ts'
import type { ResolvedRule, Rule, RuleSet } from '../../../core/evaluation/rule.ts'
import { runIdOf } from '../../../core/ids/run-id.ts'
import { defaultRuleSet } from '../../../evaluators/default-rule-set.ts'
import { createInsertRows } from '../../../platform/postgres/insert-rows.ts'
import type { Column } from '../../../platform/postgres/insert-rows.ts'
import type { Queryable } from '../../../platform/postgres/postgres.ts'
import { and, query, raw, sql } from '../../../platform/postgres/sql.ts'
import type { Sql } from '../../../platform/postgres/sql.ts'
import type { Static } from '../../../http/schema.ts'
import { invalidBody } from '../../configuration/problems.ts'
import type { OrganizationStore } from '../../store.ts'
import { readTimeRange } from '../../time-range.ts'
import type { TimeRange } from '../../time-range.ts'
import { filterConditions } from '../bounded-page.ts'
import { matchedMax, replaysMax } from '../schemas.ts'
import type { ReplayBody, replayRequest } from '../schemas.ts'
import { filterColumns, isUnsuccessful, isUnsuccessfulRow } from './queries.ts'

/** Replays the newest matching runs, or in a dry run only counts them. */
export async function replayRuns(
  store: OrganizationStore,
  { dry_run = false, filter }: Static<typeof replayRequest>,
  now: number
) {
  const { organizationId } = store
  const wanted = { organizationId, filter: replayFilterOf(filter, now) }
  const { found, runs } = await store.change(async (transaction) => {
    const count = await countReplayable(transaction, wanted, matchedMax + 1)
    const select = dry_run ? selectReplayable : lockReplayable
    const selected = await select(transaction, wanted, replaysMax)
    if (!dry_run) await writeReplays(transaction, { organizationId, openedAt: now }, selected)
    return { found: count, runs: selected }
  })
  const matched = Math.max(Math.min(found, matchedMax), runs.length)
  return {
    dry_run,
    matched,
    more_than_matched: found > matchedMax,
    left: matched - runs.length,
    planned: runs.length,
    est_usd: await estimate(store, runs)
  }
}

interface ReplayQuery {
  readonly organizationId: string
  readonly filter: ReplayFilter
}

type ReplayFilter = Omit<ReplayBody, 'from' | 'to'> & {
  /** Null if the filter lists decision ids and has neither `from` nor `to`. */
  readonly range: TimeRange | null
}

function replayFilterOf({ from, to, ...filter }: ReplayBody, now: number): ReplayFilter {
  const ids = filter.decision_ids?.map((id) => id.toLowerCase())
  if (ids !== undefined && from === undefined && to === undefined) {
    return { ...filter, decision_ids: ids, range: null }
  }
  const read = readTimeRange({ from, to }, now)
  if (read.kind === 'range') {
    return { ...filter, ...(ids && { decision_ids: ids }), range: read.range }
  }
  throw invalidBody(
    read.errors.map(({ pointer, detail }) => ({ pointer: `/filter${pointer}`, detail }))
  )
}

/**
 * Estimates the cost of replays in US dollars from the average cost of each judge's calls in the
 * last 30 days.
 * @returns null if the cost of a judge is unknown
 */
async function estimate(
  store: OrganizationStore,
  runs: readonly ReplayableRun[]
): Promise<number | null> {
  const judged = runs.filter(({ evaluator_kind }) => evaluator_kind === 'llm_judge')
  if (judged.length === 0) return 0
  const [row] = await query<{ usd: number | null }>(
    store,
    sql`select case when bool_and(nano_usd is not null)
                    then round(sum(nano_usd)) / 1e9::float8 end as usd
          from unnest(${judged.map(({ evaluator_id }) => evaluator_id)}::text[])
               as judged (evaluator_id)
          left join (select evaluator_id, (sum(nano_usd)
                            / nullif(sum(calls - unpriced_calls), 0))::float8 as nano_usd
                       from evaluation_spend
                      where organization_id = ${store.organizationId}
                        and day > (now() at time zone 'utc')::date - 30
                      group by evaluator_id) price using (evaluator_id)`
  )
  return row?.usd ?? null
}

interface ReplayableRun {
  readonly decision_id: string
  readonly run_id: string
  readonly rule_id: string
  readonly rule: string
  readonly evaluator_id: string
  readonly evaluator: string
  readonly evaluator_kind: string
  readonly evaluator_version: number
  readonly generation: number
  readonly received_at: Date
  readonly agent_id: string | null
  readonly session_id: string | null
  readonly domain: string | null
  readonly connection_id: string | null
}

/**
 * Locks up to `limit` matching runs, newest first, until the end of the transaction. Returns the
 * runs that can still be replayed.
 */
async function lockReplayable(
  transaction: Queryable,
  { organizationId, filter }: ReplayQuery,
  limit: number
): Promise<readonly ReplayableRun[]> {
  const found = await selectReplayable(transaction, { organizationId, filter }, limit)
  if (found.length === 0) return []
  const decision_ids = [...new Set(found.map(({ decision_id }) => decision_id))]
  // A packed run has no row of its own, so lock the row of its evaluation.
  await query(
    transaction,
    sql`select from evaluations
         where organization_id = ${organizationId} and decision_id = any(${decision_ids}::uuid[])
           and run_kinds is not null
         order by decision_id
           for update`
  )
  await query(
    transaction,
    sql`select from later_runs
         where organization_id = ${organizationId} and decision_id = any(${decision_ids}::uuid[])
           and run_id = any(${found.map(({ run_id }) => run_id)}::uuid[])
         order by decision_id, run_id
           for update`
  )
  // Read again: another transaction may have replayed some of the runs before they were locked.
  const isFound = new Set(found.map(nameOf))
  const again = { organizationId, filter: { ...filter, decision_ids } }
  const current = await selectReplayable(transaction, again, limit * runsOfOneMax)
  return current.filter((run) => isFound.has(nameOf(run)))
}

/** Maximum number of runs read per decision. A plan never has more runs. */
const runsOfOneMax = 100

function nameOf({ decision_id, run_id }: ReplayableRun): string {
  return `${decision_id}/${run_id}`
}

function selectReplayable(transaction: Queryable, wanted: ReplayQuery, limit: number) {
  return query<ReplayableRun>(
    transaction,
    sql`select s.decision_id, s.run_id, coalesce(s.rule_id, s.rule) as rule_id, s.rule,
               coalesce(s.evaluator_id, s.evaluator) as evaluator_id, s.evaluator,
               s.evaluator_kind, s.evaluator_version, s.generation, s.received_at,
               s.agent_id, s.session_id, s.domain,
               v.config::json ->> 'connection_id' as connection_id
          from ${replayableRuns(wanted.filter)}
          left join evaluator_versions v
            on v.organization_id = s.organization_id
           and v.evaluator_id = s.evaluator_id
           and v.version = s.evaluator_version
           and v.kind = 'llm_judge'
         where ${isReplayable(wanted)}
         order by s.evaluated_at desc, s.decision_id desc, s.run_id desc
         limit ${raw(limit)}`
  )
}

/** Counts up to `limit` matching runs. */
async function countReplayable(
  transaction: Queryable,
  wanted: ReplayQuery,
  limit: number
): Promise<number> {
  const [row] = await query<{ n: number }>(
    transaction,
    sql`select count(*) as n
          from (select
                  from ${replayableRuns(wanted.filter)}
                 where ${isReplayable(wanted)}
                 limit ${raw(limit)}) found`
  )
  return row?.n ?? 0
}

/**
 * Returns SQL that selects packed and later runs of decisions that are not erased. Uses the partial
 * indexes if the filter selects only unsuccessful runs and does not list decision ids.
 */
function replayableRuns({ status, status_reason, decision_ids }: ReplayFilter): Sql {
  const areFew = decision_ids === undefined && isUnsuccessful(status, status_reason)
  return sql`(select ${replayableColumns}
                from packed_runs where ${areFew ? sql`has_unsuccessful` : sql`true`}
               union all
              select ${replayableColumns}
                from later_runs where ${areFew ? isUnsuccessfulRow : sql`true`}) s
          join decision_ids i
            on i.organization_id = s.organization_id
           and i.decision_id = s.decision_id
           and i.erased_at is null`
}

const replayableColumns = sql`organization_id, decision_id, run_id, rule_id, rule, evaluator_id,
                evaluator, evaluator_kind, evaluator_version, generation, received_at, agent_id,
                session_id, domain, status, status_reason, superseded_by, evaluated_at`

function isReplayable({ organizationId, filter }: ReplayQuery): Sql {
  const { status, decision_ids, range } = filter
  return and([
    sql`s.organization_id = ${organizationId} and s.status = any(${status}::text[])`,
    // Exclude pushed scores: there is no evaluator to run again.
    sql`s.superseded_by is null and s.rule_id is distinct from ${pushRuleId}`,
    filterConditions(filter, filterColumns),
    decision_ids === undefined ? null : sql`s.decision_id = any(${decision_ids}::uuid[])`,
    range && sql`s.evaluated_at >= ${range.from}`,
    range?.to ? sql`s.evaluated_at < ${range.to}` : null
  ])
}

/** The fields of a rule that apply to its runs. */
type RuleTerms = Pick<ResolvedRule, 'rule_id' | 'budget' | 'ttl_seconds' | 'max_attempts'>

/** Defaults for runs with an unknown rule. */
const [defaults] = defaultRuleSet.rules as [ResolvedRule]
const secondMs = 1000

interface Replay {
  readonly organizationId: string
  readonly run: ReplayableRun
  readonly run_id: string
  /** The latest definition of the rule, even if it was deleted; null if it never existed. */
  readonly rule: RuleTerms | null
  /** Milliseconds since 1970. */
  readonly openedAt: number
}

const columns: readonly Column<Replay>[] = [
  ['organization_id', 'uuid', ({ organizationId }) => organizationId],
  ['decision_id', 'uuid', ({ run }) => run.decision_id],
  ['run_id', 'uuid', ({ run_id }) => run_id],
  ['rule_id', 'text', ({ run }) => run.rule_id],
  ['rule', 'text', ({ run }) => run.rule],
  ['evaluator_id', 'text', ({ run }) => run.evaluator_id],
  ['evaluator', 'text', ({ run }) => run.evaluator],
  ['evaluator_kind', 'text', ({ run }) => run.evaluator_kind],
  ['evaluator_version', 'integer', ({ run }) => run.evaluator_version],
  ['generation', 'integer', ({ run }) => run.generation + 1],
  ['replay_of', 'uuid', ({ run }) => run.run_id],
  ['connection_id', 'text', ({ run }) => run.connection_id],
  ['received_at', 'timestamptz', ({ run }) => run.received_at],
  ['agent_id', 'text', ({ run }) => run.agent_id],
  ['session_id', 'text', ({ run }) => run.session_id],
  ['domain', 'text', ({ run }) => run.domain],
  ['status', 'text', () => 'scheduled'],
  ['max_attempts', 'integer', ({ rule }) => (rule ?? defaults).max_attempts],
  [
    'expires_at',
    'timestamptz',
    ({ rule, openedAt }) => new Date(openedAt + (rule ?? defaults).ttl_seconds * secondMs)
  ],
  ['budget', 'text', ({ rule }) => (rule === null ? null : JSON.stringify(rule.budget))]
]

const insertReplays = createInsertRows('pending_runs', columns, { tail: 'on conflict do nothing' })

/**
 * Inserts the replays and links the original runs to them.
 * @param runs the original runs, which this transaction has locked and which are not superseded
 */
async function writeReplays(
  transaction: Queryable,
  { organizationId, openedAt }: { organizationId: string; openedAt: number },
  runs: readonly ReplayableRun[]
): Promise<void> {
  if (runs.length === 0) return
  const rules = await readRules(transaction, organizationId)
  const replays = runs.map((run): Replay => {
    const { decision_id, rule_id, evaluator_id, evaluator_version: version, generation } = run
    const origin = { organization_id: organizationId, decision_id, rule_id, evaluator_id, version }
    const run_id = runIdOf({ ...origin, generation: generation + 1 })
    return { organizationId, run, run_id, rule: rules.get(rule_id) ?? null, openedAt }
  })
  await insertReplays(transaction, replays)
  const replayed = sql`unnest(${replays.map(({ run }) => run.decision_id)}::uuid[],
                              ${replays.map(({ run }) => run.run_id)}::uuid[],
                              ${replays.map(({ run_id }) => run_id)}::uuid[])
                              as replay (decision_id, replay_of, run_id)`
  await query(
    transaction,
    sql`update later_runs r
           set superseded_by = replay.run_id
          from ${replayed}
         where r.organization_id = ${organizationId}
           and r.decision_id = replay.decision_id
           and r.run_id = replay.replay_of`
  )
  // Computes the whole array per row: an UPDATE that joins several replays with a row would apply
  // only one of them.
  await query(
    transaction,
    sql`update evaluations e
           set superseded_by = (
                 select array_agg(coalesce(replay.run_id, e.superseded_by[place.place])
                                  order by place.place)
                   from unnest(e.run_kinds) with ordinality as place (run_kind, place)
                   join run_kinds k
                     on k.organization_id = ${organizationId} and k.run_kind = place.run_kind
                   left join ${replayed}
                     on replay.decision_id = e.decision_id
                    and replay.replay_of = xor_ids(e.decision_id, k.run_mask))
         where e.organization_id = ${organizationId}
           and e.decision_id = any(${replays.map(({ run }) => run.decision_id)}::uuid[])
           and e.run_kinds is not null`
  )
}

/**
 * Reads the current definitions of rules. Replays use the current limits on time, attempts and
 * budget, because these do not affect what a run measures.
 */
async function readRules(
  transaction: Queryable,
  organizationId: string
): Promise<ReadonlyMap<string, RuleTerms>> {
  const saved = await transaction.query<{ definition: string }>(
    `select definition from evaluation_rules where organization_id = $1`,
    [organizationId]
  )
  const [row] = await transaction.query<{ content: string }>(
    `select content
       from rule_sets
      where organization_id = $1
      order by version desc
      limit 1`,
    [organizationId]
  )
  const { rules } = row === undefined ? defaultRuleSet : (JSON.parse(row.content) as RuleSet)
  const all = saved.map(({ definition }) => JSON.parse(definition) as Rule)
  return new Map([...all, ...rules].map((rule) => [rule.rule_id, rule]))
}
