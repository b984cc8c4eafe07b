/** Evaluation runs of decisions with their scores, as one snapshot. */
import type { Row } from '../../platform/postgres.ts'
import type { OrganizationStore } from './store.ts'

export interface StoredScore {
  readonly score_id: string
  readonly name: string
  readonly data_type: string
  readonly value: number | null
  readonly label: string | null
  readonly passed: boolean | null
  readonly reason: string | null
}

export interface StoredRun {
  readonly run_id: string
  readonly rule: string
  readonly evaluator: string
  readonly evaluator_kind: string
  readonly evaluator_version: number
  readonly generation: number
  readonly status: string
  readonly status_reason: string | null
  readonly attempts: number
  readonly duration_us: number | null
  readonly evaluated_at: Date
  readonly stored_at: Date
  readonly scores: readonly StoredScore[]
}

export type RunsByDecision = ReadonlyMap<string, readonly StoredRun[]>

/** A run beside one of its scores, or beside nothing. */
type RunRow = Omit<StoredRun, 'scores'> & { readonly decision_id: string } & (
    StoredScore | { readonly score_id: null }
  )

/** One statement: runs and scores read apart could show a run that ended without its scores. */
export async function readRuns(
  store: OrganizationStore,
  decisionIds: readonly string[]
): Promise<RunsByDecision> {
  const rows = await store.query<RunRow & Row>(
    `select r.decision_id, r.run_id, r.rule, r.evaluator, r.evaluator_kind, r.evaluator_version,
            r.generation, r.status, r.status_reason, r.attempts, r.duration_us, r.evaluated_at,
            r.stored_at, s.score_id, s.name, s.data_type, s.value, s.label, s.passed, s.reason
       from evaluation_runs r
       left join scores s
         on s.organization_id = r.organization_id
        and s.decision_id = r.decision_id
        and s.run_id = r.run_id
      where r.organization_id = $1
        and r.decision_id = any($2::uuid[])
      order by r.decision_id, r.rule, r.evaluator, r.evaluator_version, r.generation, r.run_id,
               s.name, s.score_id`,
    [store.organizationId, decisionIds]
  )
  const byDecision = Map.groupBy(rows, (row) => row.decision_id)
  return new Map([...byDecision].map(([id, ofDecision]) => [id, runsOf(ofDecision)]))
}

function runsOf(rows: readonly RunRow[]): readonly StoredRun[] {
  return [...Map.groupBy(rows, (row) => row.run_id).values()].map((ofRun) => runOf(ofRun))
}

function runOf(rows: readonly RunRow[]): StoredRun {
  const run = rows[0] as RunRow
  return {
    run_id: run.run_id,
    rule: run.rule,
    evaluator: run.evaluator,
    evaluator_kind: run.evaluator_kind,
    evaluator_version: run.evaluator_version,
    generation: run.generation,
    status: run.status,
    status_reason: run.status_reason,
    attempts: run.attempts,
    duration_us: run.duration_us,
    evaluated_at: run.evaluated_at,
    stored_at: run.stored_at,
    scores: rows.flatMap((row) => (row.score_id === null ? [] : [scoreOf(row)]))
  }
}

function scoreOf({ score_id, name, data_type, value, label, passed, reason }: StoredScore) {
  return { score_id, name, data_type, value, label, passed, reason }
}
