/** store: evaluation runs and scores into Postgres, one transaction a batch, each run once. */
import { done, duplicate, erased } from '../../core/consumed.ts'
import { identityNameOf } from '../../core/decision.ts'
import type { Evaluation, Run, Score } from '../../core/evaluation.ts'
import { findErased } from '../../platform/find-erased.ts'
import type { Postgres, Queryable } from '../../platform/postgres.ts'
import type { Store } from './bisect.ts'
import { recordConsumed } from './record-consumed.ts'

interface RunRow extends Run {
  readonly organization_id: string
  readonly decision_id: string
  readonly evaluated_at: Date
}

/** One outcome for each: done when at least one of its runs was new, erased with its decision. */
export function createStoreEvaluations({ postgres }: { postgres: Postgres }): Store<Evaluation> {
  return function storeEvaluations(evaluations, consumption) {
    return postgres.transaction(async (transaction) => {
      await recordConsumed(transaction, consumption)
      return evaluations.length === 0 ? [] : await store(transaction, evaluations)
    })
  }
}

async function store(transaction: Queryable, evaluations: readonly Evaluation[]) {
  const isErased = await findErased(transaction, evaluations)
  const tombstones = await findTombstones(transaction, evaluations)
  const isGone = (evaluation: Evaluation): boolean =>
    isErased(evaluation) || tombstones.has(identityNameOf(evaluation))
  const runs = evaluations.filter((evaluation) => !isGone(evaluation)).flatMap(runRowsOf)
  const inserted = await insertRuns(transaction, runs)
  await insertScores(
    transaction,
    runs.filter((run) => inserted.has(nameOf(run)))
  )
  return evaluations.map((evaluation) => {
    if (isGone(evaluation)) return erased
    // All of them, so that the same again in this batch finds none left.
    const own = runRowsOf(evaluation).filter((run) => inserted.delete(nameOf(run)))
    return own.length > 0 ? done : duplicate
  })
}

type DecisionName = { readonly organization_id: string; readonly decision_id: string }
type RunName = DecisionName & { readonly run_id: string }

/** Another decision may use the same run_id: whoever writes to the topic chooses it. */
function nameOf(run: RunName): string {
  return `${identityNameOf(run)}/${run.run_id}`
}

/** @returns the decisions that were erased, whatever the rules say by now. */
async function findTombstones(transaction: Queryable, evaluations: readonly Evaluation[]) {
  const rows = await transaction.query<DecisionName>(
    `select organization_id, decision_id
       from decision_ids
       join unnest($1::uuid[], $2::uuid[]) as wanted (organization_id, decision_id)
            using (organization_id, decision_id)
      where erased_at is not null`,
    [
      evaluations.map(({ organization_id }) => organization_id),
      evaluations.map(({ decision_id }) => decision_id)
    ]
  )
  return new Set(rows.map(identityNameOf))
}

function runRowsOf(evaluation: Evaluation): RunRow[] {
  const { organization_id, decision_id } = evaluation
  const evaluated_at = new Date(evaluation.evaluated_at)
  return evaluation.runs.map((run) => ({ ...run, organization_id, decision_id, evaluated_at }))
}

/** @returns the names of runs that were not there yet. */
async function insertRuns(transaction: Queryable, runs: readonly RunRow[]): Promise<Set<string>> {
  if (runs.length === 0) return new Set()
  const rows = await transaction.query<RunName>(
    `insert into evaluation_runs (organization_id, decision_id, run_id, rule, evaluator,
                                  evaluator_kind, evaluator_version, generation, status,
                                  status_reason, attempts, duration_us, evaluated_at)
     select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[],
                          $7::integer[], $8::integer[], $9::text[], $10::text[], $11::integer[],
                          $12::bigint[], $13::timestamptz[])
     on conflict do nothing
     returning organization_id, decision_id, run_id`,
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
  return new Set(rows.map(nameOf))
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
