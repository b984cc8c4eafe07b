/** Reads and writes pushed scores in Postgres. They are written as ended runs, which are then
 * published and stored like any other run.
 */
import type { ErasureSubject } from '../../../core/decision/erasure.ts'
import { bareRun } from '../../../core/evaluation/evaluation.ts'
import type { LaterRun } from '../../../core/evaluation/evaluation.ts'
import type { ScoreDefinition } from '../../../core/evaluation/evaluator-definition.ts'
import { pushRuleId } from '../../../core/evaluation/rule.ts'
import type { Finding } from '../../../evaluators/evaluator.ts'
import { scoreOf } from '../../../evaluators/score-of.ts'
import { createInsertRows } from '../../../platform/postgres/insert-rows.ts'
import type { Column } from '../../../platform/postgres/insert-rows.ts'
import type { Queryable } from '../../../platform/postgres/postgres.ts'
import { query, sql } from '../../../platform/postgres/sql.ts'
import { findErased } from '../../../store/find-erased.ts'
import type { PushedScore } from './schemas.ts'

/** A score from the request, with ids derived from the score's own id. */
export interface PushItem extends PushedScore {
  readonly id: string
  /** The id of the score's run, unless an existing run waits for the score. */
  readonly run_id: string
  /** Does not depend on the waiting run, so that retries of the score have the same id. */
  readonly score_id: string
}

/** A decision that is stored and not erased. */
export interface ScoredDecision extends ErasureSubject {
  readonly domain: string | null
}

/** A pending run that waits for a score from an external evaluator. */
export interface WaitingRun {
  readonly decision_id: string
  readonly run_id: string
  readonly rule_id: string
  readonly rule: string
  readonly evaluator_id: string
  readonly evaluator_version: number
  readonly generation: number
  readonly replay_of: string | null
  readonly attempts: number
  readonly scheduled_at: Date
}

export interface ExternalVersion {
  readonly evaluator_id: string
  readonly version: number
  readonly name: string
  readonly kind: string
  readonly config_hash: string
  readonly output: ScoreDefinition
  readonly is_latest: boolean
}

export type PushContext = Awaited<ReturnType<typeof readPushContext>>

/** The decisions, evaluators and scores that a push refers to. */
type Subjects = ReturnType<typeof subjectsOf>

function subjectsOf(organizationId: string, items: readonly PushItem[]) {
  const decisionIds = [...new Set(items.map(({ decision_id }) => decision_id))]
  return {
    organizationId,
    isOfDecisions: sql`organization_id = ${organizationId}
                       and decision_id = any(${decisionIds}::uuid[])`,
    evaluatorIds: [...new Set(items.flatMap(({ evaluator_id }) => evaluator_id ?? []))],
    scoreIds: items.map(({ score_id }) => score_id)
  }
}

export async function readPushContext(
  transaction: Queryable,
  organizationId: string,
  items: readonly PushItem[]
) {
  const subjects = subjectsOf(organizationId, items)
  const decisions = await readDecisions(transaction, subjects)
  const isErased = await findErased(transaction, decisions)
  const alive = decisions.filter((decision) => !isErased(decision))
  return {
    decisions: new Map(alive.map((decision) => [decision.decision_id, decision])),
    waiting: await lockWaiting(transaction, subjects),
    versions: await readVersions(transaction, subjects),
    known: await readKnown(transaction, subjects),
    pushes: await countPushes(transaction, subjects)
  }
}

/**
 * Reads the decisions to score, omitting erased ones. Reads their times first, so that the query on
 * `decisions` opens only the partitions that contain them.
 */
async function readDecisions(
  transaction: Queryable,
  { isOfDecisions }: Subjects
): Promise<readonly ScoredDecision[]> {
  const identities = await query<{ received_at: Date }>(
    transaction,
    sql`select distinct received_at from decision_ids where ${isOfDecisions} and erased_at is null`
  )
  const days = identities.map(({ received_at }) => received_at)
  const rows = await query<Omit<ScoredDecision, 'received_at'> & { received_at: Date }>(
    transaction,
    sql`select organization_id, decision_id, received_at, agent_id, session_id, domain
          from decisions
         where ${isOfDecisions} and received_at = any(${days}::timestamptz[])`
  )
  return rows.map((row) => ({ ...row, received_at: row.received_at.getTime() }))
}

/**
 * Reads and locks the pending runs that wait for scores, so that no other transaction can end them.
 * Also serializes pushes for evaluators within the organization, so that if two pushes contain the
 * same score, the later push finds that the score exists.
 */
async function lockWaiting(
  transaction: Queryable,
  { organizationId, isOfDecisions, evaluatorIds }: Subjects
): Promise<readonly WaitingRun[]> {
  if (evaluatorIds.length === 0) return []
  const lock = `sluice push ${organizationId}`
  await query(transaction, sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`)
  return await query<WaitingRun>(
    transaction,
    sql`select decision_id, run_id, rule_id, rule, evaluator_id, evaluator_version, generation,
               replay_of, attempts, scheduled_at
          from pending_runs
         where ${isOfDecisions}
           and evaluator_id = any(${evaluatorIds}::text[]) and evaluator_kind = 'external'
           and status <> 'finished' and cancel_requested_at is null and expires_at > now()
         order by decision_id, run_id
           for update`
  )
}

/**
 * Reads the latest version of each evaluator, and the versions that pending runs of these decisions
 * use.
 */
async function readVersions(
  transaction: Queryable,
  { organizationId, isOfDecisions, evaluatorIds }: Subjects
): Promise<readonly ExternalVersion[]> {
  if (evaluatorIds.length === 0) return []
  const rows = await query<Omit<ExternalVersion, 'output'> & { readonly output: string }>(
    transaction,
    sql`select v.evaluator_id, v.version, v.name, v.kind, v.config_hash, v.output,
               v.version = e.version as is_latest
          from evaluators e
          join evaluator_versions v using (organization_id, evaluator_id)
         where organization_id = ${organizationId}
           and evaluator_id = any(${evaluatorIds}::text[]) and e.deleted_at is null
           and (v.version = e.version
                or (evaluator_id, v.version) in (
                     select evaluator_id, evaluator_version
                       from pending_runs
                      where ${isOfDecisions}))`
  )
  return rows.map((row) => ({ ...row, output: JSON.parse(row.output) as ScoreDefinition }))
}

/** Reads which of the scores exist, as `<decision id>/<score id>`. */
async function readKnown(
  transaction: Queryable,
  { isOfDecisions, scoreIds }: Subjects
): Promise<ReadonlySet<string>> {
  const rows = await query<{ name: string }>(
    transaction,
    sql`select decision_id || '/' || (score ->> 'score_id') as name
          from pending_runs, jsonb_array_elements(result::jsonb -> 'scores') as score
         where ${isOfDecisions}
           and status = 'finished' and evaluator_kind in ('external', 'human')
           and score ->> 'score_id' = any(${scoreIds}::text[])
         union all
        select decision_id || '/' || score_id
          from later_scores
         where ${isOfDecisions} and score_id = any(${scoreIds}::uuid[])`
  )
  return new Set(rows.map(({ name }) => name))
}

/** Returns the number of pushed scores that no run was waiting for, by decision id. */
async function countPushes(
  transaction: Queryable,
  { isOfDecisions }: Subjects
): Promise<ReadonlyMap<string, number>> {
  const isPushed = sql`${isOfDecisions} and rule_id = ${pushRuleId}`
  const rows = await query<{ decision_id: string; pushes: number }>(
    transaction,
    sql`select decision_id, count(*) as pushes
          from (select decision_id from later_runs where ${isPushed}
                 union all
                select decision_id from pending_runs where ${isPushed}) pushed
         group by decision_id`
  )
  return new Map(rows.map(({ decision_id, pushes }) => [decision_id, pushes]))
}

/** Who gave the score: an API key, a user or an end user. */
export interface ScoreSource {
  readonly source_kind: 'api' | 'human' | 'end_user'
  readonly source_id: string | null
}

export interface Push {
  readonly item: PushItem
  readonly decision: ScoredDecision
  readonly finding: Finding
  /** The definition of the score. */
  readonly output: ScoreDefinition
  readonly source: ScoreSource
  /** Null for a score without an evaluator. */
  readonly version: ExternalVersion | null
  /** The run that waits for this score, or null. */
  readonly waiting: WaitingRun | null
}

/** @param pushedAt milliseconds since 1970 */
export async function writePushes(
  transaction: Queryable,
  organizationId: string,
  { pushes, pushedAt }: { pushes: readonly Push[]; pushedAt: number }
): Promise<void> {
  const ended = spaceTimes(pushes, pushedAt)
  await insertEnded(
    transaction,
    ended.filter(({ isWaiting }) => !isWaiting)
  )
  const completed = ended.filter(({ isWaiting }) => isWaiting)
  if (completed.length === 0) return
  await query(
    transaction,
    sql`update pending_runs o
           set status = 'finished', status_reason = null, attempts = o.attempts + 1,
               result = given.result, finished_at = given.finished_at
          from unnest(${completed.map(({ decision }) => decision.decision_id)}::uuid[],
                      ${completed.map(({ run }) => run.run_id)}::uuid[],
                      ${completed.map(({ run }) => JSON.stringify(run))}::text[],
                      ${completed.map(({ endedAt }) => new Date(endedAt))}::timestamptz[])
               as given (decision_id, run_id, result, finished_at)
         where o.organization_id = ${organizationId} and o.decision_id = given.decision_id
           and o.run_id = given.run_id and o.status <> 'finished'`
  )
}

interface EndedPush {
  readonly decision: ScoredDecision
  readonly run: LaterRun
  readonly isWaiting: boolean
  readonly endedAt: number
}

/**
 * Spaces the times of a decision's scores with the same name and source one millisecond apart, so
 * that sorting by time keeps the order in which they were sent. The last score keeps its time.
 */
function spaceTimes(pushes: readonly Push[], pushedAt: number): readonly EndedPush[] {
  const later = new Map<string, number>()
  const newestFirst = pushes.toReversed().map((push) => {
    const { decision, output, source, waiting } = push
    const key = [decision.decision_id, source.source_kind, output.name].join('/')
    const after = later.get(key) ?? 0
    later.set(key, after + 1)
    const isWaiting = waiting !== null
    return { decision, run: runOf(push), isWaiting, endedAt: pushedAt - after }
  })
  return newestFirst.toReversed()
}

const dayMs = 86_400_000

const columns: readonly Column<EndedPush>[] = [
  ['organization_id', 'uuid', ({ decision }) => decision.organization_id],
  ['decision_id', 'uuid', ({ decision }) => decision.decision_id],
  ['run_id', 'uuid', ({ run }) => run.run_id],
  ['rule_id', 'text', () => pushRuleId],
  ['rule', 'text', () => pushRuleId],
  ['evaluator_id', 'text', ({ run }) => run.evaluator_id ?? pushRuleId],
  ['evaluator', 'text', ({ run }) => run.evaluator],
  ['evaluator_kind', 'text', ({ run }) => run.evaluator_kind],
  ['evaluator_version', 'integer', ({ run }) => run.evaluator_version],
  ['received_at', 'timestamptz', ({ decision }) => new Date(decision.received_at)],
  ['agent_id', 'text', ({ decision }) => decision.agent_id],
  ['session_id', 'text', ({ decision }) => decision.session_id],
  ['domain', 'text', ({ decision }) => decision.domain],
  ['status', 'text', () => 'finished'],
  ['attempts', 'integer', () => 1],
  ['expires_at', 'timestamptz', ({ endedAt }) => new Date(endedAt + dayMs)],
  ['result', 'text', ({ run }) => JSON.stringify(run)],
  ['finished_at', 'timestamptz', ({ endedAt }) => new Date(endedAt)]
]

const insertEnded = createInsertRows('pending_runs', columns, { tail: 'on conflict do nothing' })

function runOf({ item, finding, output, source, version, waiting }: Push): LaterRun {
  const score = {
    ...scoreOf(item.run_id, output, finding),
    ...source,
    score_id: item.score_id,
    reason: finding.reason === '' ? null : finding.reason
  }
  return {
    ...bareRun,
    ...originOf(waiting, item.run_id),
    ...evaluatorOf(version, output, source),
    status: 'succeeded',
    status_reason: null,
    duration_us: null,
    scores: [score]
  }
}

function evaluatorOf(
  version: ExternalVersion | null,
  output: ScoreDefinition,
  { source_kind }: ScoreSource
) {
  if (version === null) {
    const evaluator_kind = source_kind === 'api' ? 'external' : 'human'
    return { evaluator: output.name, evaluator_kind, evaluator_version: 0 }
  }
  return {
    evaluator_id: version.evaluator_id,
    evaluator: version.name,
    evaluator_kind: version.kind,
    evaluator_version: version.version,
    config_hash: version.config_hash
  }
}

function originOf(waiting: WaitingRun | null, run_id: string) {
  if (waiting === null) {
    return { run_id, rule_id: pushRuleId, rule: pushRuleId, generation: 0, attempts: 1 }
  }
  return {
    run_id: waiting.run_id,
    rule_id: waiting.rule_id,
    rule: waiting.rule,
    generation: waiting.generation,
    replay_of: waiting.replay_of,
    attempts: waiting.attempts + 1,
    scheduled_at: waiting.scheduled_at.getTime()
  }
}
