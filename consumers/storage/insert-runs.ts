/** Inserts later runs and their scores, and deletes the corresponding pending runs. */
import { identityNameOf } from '../../core/decision/decision.ts'
import type { Evaluation, LaterRun, Score } from '../../core/evaluation/evaluation.ts'
import { createInsertRows } from '../../platform/postgres/insert-rows.ts'
import type { Column } from '../../platform/postgres/insert-rows.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'

/** A later run and the evaluation that contains it. */
export interface LaterRunRow {
  readonly evaluation: Evaluation
  readonly run: LaterRun
}

export function laterRunNameOf({ evaluation, run }: LaterRunRow): string {
  return `${identityNameOf(evaluation)}/${run.run_id}`
}

interface LaterScoreRow extends LaterRunRow {
  readonly score: Score
}

const timeOf = (ms: number | null): Date | null => (ms === null ? null : new Date(ms))

const identityColumns: readonly Column<LaterRunRow>[] = [
  ['organization_id', 'uuid', ({ evaluation }) => evaluation.organization_id],
  ['decision_id', 'uuid', ({ evaluation }) => evaluation.decision_id],
  ['run_id', 'uuid', ({ run }) => run.run_id]
]

/**
 * Columns copied from the decision, and the time of the evaluation, so that runs and scores can be
 * filtered without a join.
 */
const decisionColumns: readonly Column<LaterRunRow>[] = [
  ['received_at', 'timestamptz', ({ evaluation }) => new Date(evaluation.received_at)],
  ['agent_id', 'text', ({ evaluation }) => evaluation.agent_id],
  ['session_id', 'text', ({ evaluation }) => evaluation.session_id],
  ['domain', 'text', ({ evaluation }) => evaluation.domain],
  ['evaluated_at', 'timestamptz', ({ evaluation }) => new Date(evaluation.evaluated_at)]
]

const evaluatorColumns: readonly Column<LaterRunRow>[] = [
  ['rule_id', 'text', ({ run }) => run.rule_id],
  ['evaluator_id', 'text', ({ run }) => run.evaluator_id],
  ['evaluator', 'text', ({ run }) => run.evaluator],
  ['evaluator_kind', 'text', ({ run }) => run.evaluator_kind],
  ['evaluator_version', 'integer', ({ run }) => run.evaluator_version]
]

const runColumns: readonly Column<LaterRunRow>[] = [
  ...identityColumns,
  ...decisionColumns,
  ...evaluatorColumns,
  ['rule', 'text', ({ run }) => run.rule],
  ['generation', 'integer', ({ run }) => run.generation],
  ['status', 'text', ({ run }) => run.status],
  ['status_reason', 'text', ({ run }) => run.status_reason],
  ['attempts', 'integer', ({ run }) => run.attempts],
  ['duration_us', 'bigint', ({ run }) => run.duration_us],
  ['config_hash', 'text', ({ run }) => run.config_hash],
  ['replay_of', 'uuid', ({ run }) => run.replay_of],
  ['scheduled_at', 'timestamptz', ({ run }) => timeOf(run.scheduled_at)],
  ['started_at', 'timestamptz', ({ run }) => timeOf(run.started_at)],
  ['error', 'text', ({ run }) => run.error],
  ['http_status', 'integer', ({ run }) => run.http_status],
  ['provider', 'text', ({ run }) => run.provider],
  ['model', 'text', ({ run }) => run.model],
  ['model_reported', 'text', ({ run }) => run.model_reported],
  ['input_tokens', 'bigint', ({ run }) => run.input_tokens],
  ['output_tokens', 'bigint', ({ run }) => run.output_tokens],
  ['nano_usd', 'bigint', ({ run }) => run.cost_nano_usd],
  ['latency_ms', 'bigint', ({ run }) => run.latency_ms]
]

const scoreColumns: readonly Column<LaterScoreRow>[] = [
  ...identityColumns,
  ...decisionColumns,
  ...evaluatorColumns,
  ['score_id', 'uuid', ({ score }) => score.score_id],
  ['name', 'text', ({ score }) => score.name],
  ['data_type', 'text', ({ score }) => score.data_type],
  ['value', 'float8', ({ score }) => score.value],
  ['label', 'text', ({ score }) => score.label],
  ['passed', 'boolean', ({ score }) => score.passed],
  ['reason', 'text', ({ score }) => score.reason],
  ['normalized', 'float8', ({ score }) => score.normalized],
  ['threshold', 'float8', ({ score }) => score.threshold],
  ['range_min', 'float8', ({ score }) => score.range_min],
  ['range_max', 'float8', ({ score }) => score.range_max],
  ['direction', 'text', ({ score }) => score.direction],
  ['confidence', 'float8', ({ score }) => score.confidence],
  ['evidence', 'text', ({ score }) => score.evidence],
  ['source_kind', 'text', ({ score }) => score.source_kind ?? 'evaluator'],
  ['source_id', 'text', ({ score }) => score.source_id]
]

/** Inserts runs, and returns the keys of those that were not stored before. */
export const insertRuns = createInsertRows('later_runs', runColumns, {
  tail: 'on conflict do nothing returning organization_id, decision_id, run_id'
})
const insertScoreRows = createInsertRows('later_scores', scoreColumns, {
  tail: 'on conflict do nothing'
})

export async function insertScores(
  transaction: Queryable,
  runs: readonly LaterRunRow[]
): Promise<void> {
  const scores = runs.flatMap((ended) => ended.run.scores.map((score) => ({ ...ended, score })))
  await insertScoreRows(transaction, scores)
}

/**
 * Deletes pending runs. Call this in the transaction that inserts the ended runs, so that readers
 * see each run exactly once.
 */
export async function closeRuns(
  transaction: Queryable,
  runs: readonly LaterRunRow[]
): Promise<void> {
  if (runs.length === 0) return
  await transaction.query(
    `delete from pending_runs o
      using unnest($1::uuid[], $2::uuid[], $3::uuid[])
            as ended (organization_id, decision_id, run_id)
      where o.organization_id = ended.organization_id and o.decision_id = ended.decision_id
        and o.run_id = ended.run_id`,
    identityColumns.map(([, , valueOf]) => runs.map(valueOf))
  )
}
