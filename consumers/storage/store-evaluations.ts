/** store: evaluation runs and scores into Postgres, one transaction a batch, each run once. */
import { done, duplicate } from '../../core/consumed.ts'
import type { Consumed } from '../../core/consumed.ts'
import type { Evaluation, Run, Score } from '../../core/evaluation.ts'
import type { Postgres, Queryable } from '../../platform/postgres.ts'

interface RunRow extends Run {
  readonly organization_id: string
  readonly decision_id: string
  readonly evaluated_at: Date
}

/** One outcome for each evaluation: done when at least one of its runs was new. */
export function createStoreEvaluations({ postgres }: { postgres: Postgres }) {
  return function storeEvaluations(evaluations: readonly Evaluation[]): Promise<Consumed[]> {
    const runs = evaluations.flatMap(runRowsOf)
    return postgres.transaction(async (transaction) => {
      const inserted = new Set(await insertRuns(transaction, runs))
      await insertScores(
        transaction,
        runs.filter(({ run_id }) => inserted.has(run_id))
      )
      return evaluations.map((evaluation) => {
        const isNew = evaluation.runs.some(({ run_id }) => inserted.delete(run_id))
        return isNew ? done : duplicate
      })
    })
  }
}

function runRowsOf(evaluation: Evaluation): RunRow[] {
  const { organization_id, decision_id } = evaluation
  const evaluated_at = new Date(evaluation.evaluated_at)
  return evaluation.runs.map((run) => ({ ...run, organization_id, decision_id, evaluated_at }))
}

/** @returns the ids of runs that were not there yet. */
async function insertRuns(transaction: Queryable, runs: readonly RunRow[]): Promise<string[]> {
  const rows = await transaction.query<{ run_id: string }>(
    `insert into evaluation_runs (organization_id, decision_id, run_id, rule, evaluator,
                                  evaluator_kind, evaluator_version, generation, status,
                                  status_reason, attempts, duration_us, evaluated_at)
     select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[],
                          $7::integer[], $8::integer[], $9::text[], $10::text[], $11::integer[],
                          $12::bigint[], $13::timestamptz[])
     on conflict do nothing
     returning run_id`,
    [
      runs.map(({ organization_id }) => organization_id),
      runs.map(({ decision_id }) => decision_id),
      runs.map(({ run_id }) => run_id),
      runs.map(({ rule }) => rule),
      runs.map(({ evaluator }) => evaluator),
      runs.map(({ evaluator_kind }) => evaluator_kind),
      runs.map(({ evaluator_version }) => evaluator_version),
      runs.map(({ generation }) => generation),
      runs.map(({ status }) => status),
      runs.map(({ status_reason }) => status_reason),
      runs.map(({ attempts }) => attempts),
      runs.map(({ duration_us }) => duration_us),
      runs.map(({ evaluated_at }) => evaluated_at)
    ]
  )
  return rows.map(({ run_id }) => run_id)
}

async function insertScores(transaction: Queryable, runs: readonly RunRow[]): Promise<void> {
  const scores: (Score & RunRow)[] = runs.flatMap((run) =>
    run.scores.map((score) => ({ ...run, ...score }))
  )
  if (scores.length === 0) return
  await transaction.query(
    `insert into scores (organization_id, decision_id, run_id, score_id, name, data_type, value,
                         label, passed, reason, evaluated_at)
     select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[],
                          $7::float8[], $8::text[], $9::boolean[], $10::text[], $11::timestamptz[])
     on conflict do nothing`,
    [
      scores.map(({ organization_id }) => organization_id),
      scores.map(({ decision_id }) => decision_id),
      scores.map(({ run_id }) => run_id),
      scores.map(({ score_id }) => score_id),
      scores.map(({ name }) => name),
      scores.map(({ data_type }) => data_type),
      scores.map(({ value }) => value),
      scores.map(({ label }) => label),
      scores.map(({ passed }) => passed),
      scores.map(({ reason }) => reason),
      scores.map(({ evaluated_at }) => evaluated_at)
    ]
  )
}
