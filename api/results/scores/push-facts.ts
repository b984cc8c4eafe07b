/** What has to be known before scores are pushed, read in the transaction that writes them. */
import type { ErasureSubject } from '../../../core/decision/erasure.ts'
import type { ScoreDefinition } from '../../../core/evaluation/evaluator-definition.ts'
import { pushRuleId } from '../../../core/evaluation/rule.ts'
import { findErased } from '../../../store/find-erased.ts'
import type { Queryable, Row } from '../../../platform/postgres/postgres.ts'

/** A decision that is stored and not erased. */
export interface ScoredDecision extends ErasureSubject {
  readonly domain: string | null
}

/** An open run that waits for the score of an external evaluator. */
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

export interface PushFacts {
  readonly decisions: ReadonlyMap<string, ScoredDecision>
  readonly versions: readonly ExternalVersion[]
  /** Nobody else can end these before the transaction does. */
  readonly waiting: readonly WaitingRun[]
  /** Ids of scores that are there already, as `decision/score`. */
  readonly known: ReadonlySet<string>
  /** How many scores were pushed for a decision. */
  readonly pushes: ReadonlyMap<string, number>
}

export interface PushSubjects {
  readonly organizationId: string
  readonly decisionIds: readonly string[]
  readonly evaluatorIds: readonly string[]
  readonly scoreIds: readonly string[]
}

export async function readPushFacts(
  transaction: Queryable,
  subjects: PushSubjects
): Promise<PushFacts> {
  const decisions = await readDecisions(transaction, subjects)
  const isErased = await findErased(transaction, decisions)
  const alive = decisions.filter((decision) => !isErased(decision))
  const waiting = await lockWaiting(transaction, subjects)
  return {
    decisions: new Map(alive.map((decision) => [decision.decision_id, decision])),
    versions: await readVersions(transaction, subjects),
    waiting,
    known: await readKnown(transaction, subjects),
    pushes: await countPushes(transaction, subjects)
  }
}

/** The day of each is a value of the second statement, so that it looks into those days alone. */
async function readDecisions(
  transaction: Queryable,
  { organizationId, decisionIds }: PushSubjects
): Promise<readonly ScoredDecision[]> {
  const identities = await transaction.query<{ received_at: Date }>(
    `select distinct received_at
       from decision_ids
      where organization_id = $1 and decision_id = any($2::uuid[]) and erased_at is null`,
    [organizationId, decisionIds]
  )
  const days = identities.map(({ received_at }) => received_at)
  const rows = await transaction.query<
    Omit<ScoredDecision, 'received_at'> & { received_at: Date } & Row
  >(
    `select organization_id, decision_id, received_at, agent_id, session_id, domain
       from decisions
      where organization_id = $1 and decision_id = any($2::uuid[])
        and received_at = any($3::timestamptz[])`,
    [organizationId, decisionIds, days]
  )
  return rows.map((row) => ({ ...row, received_at: row.received_at.getTime() }))
}

/**
 * One push at a time for the evaluators of an organization: of two that carry the same score the
 * second sees what the first has made of it.
 */
async function lockWaiting(
  transaction: Queryable,
  { organizationId, decisionIds, evaluatorIds }: PushSubjects
): Promise<readonly WaitingRun[]> {
  if (evaluatorIds.length === 0) return []
  const lock = `sluice push ${organizationId}`
  await transaction.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [lock])
  return await transaction.query<WaitingRun & Row>(
    `select decision_id, run_id, rule_id, rule, evaluator_id, evaluator_version, generation,
            replay_of, attempts, scheduled_at
       from open_runs
      where organization_id = $1 and decision_id = any($2::uuid[])
        and evaluator_id = any($3::text[]) and evaluator_kind = 'external'
        and status <> 'finished' and cancel_requested_at is null and expires_at > now()
      order by decision_id, run_id
        for update`,
    [organizationId, decisionIds, evaluatorIds]
  )
}

/** The latest of each evaluator, and those that a run of these decisions waits under. */
async function readVersions(
  transaction: Queryable,
  { organizationId, decisionIds, evaluatorIds }: PushSubjects
): Promise<readonly ExternalVersion[]> {
  if (evaluatorIds.length === 0) return []
  const rows = await transaction.query<Omit<ExternalVersion, 'output'> & { output: string } & Row>(
    `select v.evaluator_id, v.version, v.name, v.kind, v.config_hash, v.output,
            v.version = e.version as is_latest
       from evaluators e
       join evaluator_versions v using (organization_id, evaluator_id)
      where organization_id = $1 and evaluator_id = any($3::text[]) and e.deleted_at is null
        and (v.version = e.version
             or (evaluator_id, v.version) in (
                  select evaluator_id, evaluator_version
                    from open_runs
                   where organization_id = $1 and decision_id = any($2::uuid[])))`,
    [organizationId, decisionIds, evaluatorIds]
  )
  return rows.map((row) => ({ ...row, output: JSON.parse(row.output) as ScoreDefinition }))
}

async function readKnown(
  transaction: Queryable,
  { organizationId, decisionIds, scoreIds }: PushSubjects
): Promise<ReadonlySet<string>> {
  const waiting = await transaction.query<{ decision_id: string; score_id: string }>(
    `select decision_id, score ->> 'score_id' as score_id
       from open_runs, jsonb_array_elements(result::jsonb -> 'scores') as score
      where organization_id = $1 and decision_id = any($2::uuid[])
        and status = 'finished' and evaluator_kind in ('external', 'human')
        and score ->> 'score_id' = any($3::text[])`,
    [organizationId, decisionIds, scoreIds]
  )
  const stored = await transaction.query<{ decision_id: string; score_id: string }>(
    `select decision_id, score_id
       from later_scores
      where organization_id = $1 and decision_id = any($2::uuid[])
        and score_id = any($3::uuid[])`,
    [organizationId, decisionIds, scoreIds]
  )
  return new Set([...waiting, ...stored].map((each) => `${each.decision_id}/${each.score_id}`))
}

async function countPushes(
  transaction: Queryable,
  { organizationId, decisionIds }: PushSubjects
): Promise<ReadonlyMap<string, number>> {
  const rows = await transaction.query<{ decision_id: string; pushes: number }>(
    `select decision_id, count(*) as pushes
       from (select decision_id
               from later_runs
              where organization_id = $1 and decision_id = any($2::uuid[]) and rule_id = $3
             union all
             select decision_id
               from open_runs
              where organization_id = $1 and decision_id = any($2::uuid[]) and rule_id = $3) pushed
      group by decision_id`,
    [organizationId, decisionIds, pushRuleId]
  )
  return new Map(rows.map(({ decision_id, pushes }) => [decision_id, pushes]))
}
