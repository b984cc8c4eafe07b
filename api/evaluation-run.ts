/** Reads the pending and ended runs of decisions with their scores. */
import type { LaterRun, Score } from '../core/evaluation/evaluation.ts'
import type { Row } from '../platform/postgres/postgres.ts'
import { onDays } from './decisions/queries.ts'
import { scoreValueMembers } from './response-schemas.ts'
import { runMembers } from './results/schemas.ts'
import type { RunView } from './results/schemas.ts'
import type { OrganizationStore } from './store.ts'

/** A score of a run. Unlike `Score`, it always has a `source_kind`. */
export interface RunScore extends Omit<Score, 'source_kind'> {
  readonly source_kind: string
}

export interface EvaluationRun extends Omit<RunView, 'scores'> {
  /** Null if the run is pending or its result is not stored yet. */
  readonly stored_at: Date | null
  readonly scores: readonly RunScore[]
}

/** Sorts runs newest first. Ties are broken by id, in the same way as in the score sums. */
export function newestFirst(runs: readonly EvaluationRun[]): readonly EvaluationRun[] {
  const idOf = ({ run_id, scores }: EvaluationRun): string => scores[0]?.score_id ?? run_id
  return runs.toSorted(
    (left, right) =>
      Number(right.evaluated_at) - Number(left.evaluated_at) ||
      Number(idOf(right) > idOf(left)) - Number(idOf(right) < idOf(left))
  )
}

/**
 * Converts a run to its API form. Includes only the names of its scores, because the API returns
 * the scores separately.
 */
export function runViewOf({ scores, stored_at: _, ...run }: EvaluationRun) {
  return { ...run, scores: scores.map((score) => score.name) }
}

/** A run joined with one of its scores. `score_id` is null for a run without scores. */
type ScoredRunRow = Omit<EvaluationRun, 'scores'> & {
  readonly decision_id: string
  /** JSON of the result, if the run has ended but is not stored yet. */
  readonly result: string | null
} & (RunScore | { readonly score_id: null })

/**
 * Maximum number of rows read. Decisions usually have far fewer, but a replay can itself be
 * replayed, without limit. Beyond the limit, superseded runs of the oldest generations are omitted
 * first.
 */
const rowsMax = 5000

const runColumns = Object.keys(runMembers) as (keyof typeof runMembers)[]
const scoreColumns = ['name', ...Object.keys(scoreValueMembers)] as (keyof RunScore)[]

/**
 * Returns a select list of columns of a table. `others` replaces columns that the table does not
 * have.
 */
function columnsOf(
  table: string,
  columns: readonly string[],
  others: Readonly<Record<string, string>> = {}
): string {
  return columns.map((name) => `${others[name] ?? `${table}.${name}`} as ${name}`).join(', ')
}

const endedColumns = `r.decision_id, r.stored_at, null::text as result,
            ${columnsOf('r', runColumns, { next_attempt_at: 'null::timestamptz' })}`
const pendingColumns = `o.decision_id, null, o.result,
            ${columnsOf('o', runColumns, {
              superseded_by: 'null',
              duration_us: 'null',
              evaluated_at: 'o.finished_at'
            })}`

/**
 * Reads pending runs, ended runs and scores in one statement. With separate statements, a run that
 * ends in between could be missed, or appear without its scores.
 * @param days the result of `selectDays` for these decisions
 */
export async function readRuns(
  store: OrganizationStore,
  decisionIds: readonly string[],
  days: readonly Date[] | null
): Promise<ReadonlyMap<string, readonly EvaluationRun[]>> {
  const rows = await store.query<ScoredRunRow & Row>(
    `select * from (select * from (
     select ${endedColumns},
            ${columnsOf('s', scoreColumns)}
       from later_runs r
       left join later_scores s
         on s.organization_id = r.organization_id
        and s.decision_id = r.decision_id
        and s.run_id = r.run_id
      where r.organization_id = $1
        and r.decision_id = any($2::uuid[])
     union all
     select ${endedColumns},
            ${columnsOf('r', scoreColumns)}
       from packed_runs r
      where r.organization_id = $1
        and r.decision_id = any($2::uuid[])
        and ${onDays('r.received_at', '$3')}
     union all
     select ${pendingColumns},
            ${scoreColumns.map(() => 'null').join(', ')}
       from pending_runs o
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
  const known = { ...pick(run, runColumns), stored_at: run.stored_at }
  if (run.stored_at === null) return pendingRunOf(known, run.result)
  const scores = rows.flatMap((row) => (row.score_id === null ? [] : [pick(row, scoreColumns)]))
  return { ...known, scores }
}

/** Returns an object with only the named members. */
export function pick<R, N extends keyof R>(row: R, names: readonly N[]): Pick<R, N> {
  return Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<R, N>
}

/**
 * Converts a row of `pending_runs`. If the run has ended, its result overrides the outdated
 * columns.
 */
function pendingRunOf(row: Omit<EvaluationRun, 'scores'>, result: string | null): EvaluationRun {
  if (result === null) return { ...row, evaluated_at: null, scores: [] }
  const ended = JSON.parse(result) as LaterRun
  return {
    ...row,
    evaluator_id: ended.evaluator_id,
    status: ended.status,
    status_reason: ended.status_reason,
    attempts: ended.attempts,
    duration_us: ended.duration_us,
    next_attempt_at: null,
    scores: ended.scores.map((score) => {
      return { ...score, source_kind: score.source_kind ?? 'evaluator' }
    })
  }
}
