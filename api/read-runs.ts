/** Evaluation runs of decisions with their scores, ended or open, as one snapshot. */
import { onDays } from './decision-days.ts'
import type { Row } from '../platform/postgres/postgres.ts'
import { endedRunOf, openRunOf } from './evaluation-run.ts'
import type { EvaluationRun, RunRow, RunScore } from './evaluation-run.ts'
import type { OrganizationStore } from './store.ts'

export type RunsByDecision = ReadonlyMap<string, readonly EvaluationRun[]>

/** A run beside one of its scores, or beside nothing. */
type ScoredRunRow = RunRow & { readonly decision_id: string } & (
    RunScore | { readonly score_id: null }
  )

/**
 * Far more than a decision has that was evaluated and scored as often as it may be. A run may be
 * replayed again and again: of those that a later one has replaced, the oldest are left out.
 */
const rowsMax = 5000

const endedColumns = `r.decision_id, r.run_id, r.rule_id, r.rule, r.evaluator_id, r.evaluator,
            r.evaluator_kind, r.evaluator_version, r.generation, r.replay_of, r.superseded_by,
            r.status, r.status_reason, r.attempts, r.duration_us, r.scheduled_at, r.started_at,
            null::timestamptz as next_attempt_at, r.evaluated_at, r.stored_at,
            null::text as result`

function scoreColumns(of: 'r' | 's'): string {
  return `${of}.score_id, ${of}.name, ${of}.data_type, ${of}.value, ${of}.label, ${of}.passed,
            ${of}.reason, ${of}.normalized, ${of}.threshold, ${of}.range_min, ${of}.range_max,
            ${of}.direction, ${of}.confidence, ${of}.evidence, ${of}.source_kind, ${of}.source_id`
}

/**
 * One statement: runs and scores read apart could show a run that ended without its scores, and
 * open runs read apart one that is neither open nor ended.
 * @param days the result of `selectDays` for these decisions
 */
export async function readRuns(
  store: OrganizationStore,
  decisionIds: readonly string[],
  days: readonly Date[] | null
): Promise<RunsByDecision> {
  const rows = await store.query<ScoredRunRow & Row>(
    `select * from (select * from (
     select ${endedColumns},
            ${scoreColumns('s')}
       from later_runs r
       left join later_scores s
         on s.organization_id = r.organization_id
        and s.decision_id = r.decision_id
        and s.run_id = r.run_id
      where r.organization_id = $1
        and r.decision_id = any($2::uuid[])
     union all
     select ${endedColumns}, ${scoreColumns('r')}
       from packed_runs r
      where r.organization_id = $1
        and r.decision_id = any($2::uuid[])
        and ${onDays('r.received_at', '$3')}
     union all
     select o.decision_id, o.run_id, o.rule_id, o.rule, o.evaluator_id, o.evaluator,
            o.evaluator_kind, o.evaluator_version, o.generation, o.replay_of, null,
            o.status, o.status_reason, o.attempts, null, o.scheduled_at, o.started_at,
            o.next_attempt_at, o.finished_at, null,
            o.result,
            null, null, null, null, null, null, null, null,
            null, null, null, null, null, null,
            null, null
       from open_runs o
      where o.organization_id = $1
        and o.decision_id = any($2::uuid[])
        and not exists (select
                          from later_runs e
                         where e.organization_id = o.organization_id
                           and e.decision_id = o.decision_id
                           and e.run_id = o.run_id)) known
      order by superseded_by is not null, generation desc
      limit ${rowsMax}) kept
      order by decision_id, rule, evaluator, evaluator_version, generation, run_id, name, score_id`,
    [store.organizationId, decisionIds, days]
  )
  const byDecision = Map.groupBy(rows, (row) => row.decision_id)
  return new Map([...byDecision].map(([id, ofDecision]) => [id, runsOf(ofDecision)]))
}

function runsOf(rows: readonly ScoredRunRow[]): readonly EvaluationRun[] {
  return [...Map.groupBy(rows, (row) => row.run_id).values()].map((ofRun) => runOf(ofRun))
}

function runOf(rows: readonly ScoredRunRow[]): EvaluationRun {
  const run = rows[0] as ScoredRunRow
  const known: RunRow = {
    run_id: run.run_id,
    rule_id: run.rule_id,
    rule: run.rule,
    evaluator_id: run.evaluator_id,
    evaluator: run.evaluator,
    evaluator_kind: run.evaluator_kind,
    evaluator_version: run.evaluator_version,
    generation: run.generation,
    replay_of: run.replay_of,
    superseded_by: run.superseded_by,
    status: run.status,
    status_reason: run.status_reason,
    attempts: run.attempts,
    duration_us: run.duration_us,
    scheduled_at: run.scheduled_at,
    started_at: run.started_at,
    next_attempt_at: run.next_attempt_at,
    evaluated_at: run.evaluated_at,
    stored_at: run.stored_at,
    result: run.result
  }
  if (run.stored_at === null) return openRunOf(known)
  const scores = rows.flatMap((row) => (row.score_id === null ? [] : [scoreOf(row)]))
  return endedRunOf(known, scores)
}

function scoreOf(row: RunScore): RunScore {
  return {
    score_id: row.score_id,
    name: row.name,
    data_type: row.data_type,
    value: row.value,
    label: row.label,
    passed: row.passed,
    reason: row.reason,
    normalized: row.normalized,
    threshold: row.threshold,
    range_min: row.range_min,
    range_max: row.range_max,
    direction: row.direction,
    confidence: row.confidence,
    evidence: row.evidence,
    source_kind: row.source_kind,
    source_id: row.source_id
  }
}
