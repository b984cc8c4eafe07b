/** Measures a score over a threshold's time window, using only the newest version of each
 * evaluator.
 */
import { meanInterval, wilsonInterval } from '../../../core/evaluation/interval.ts'
import type { ConfidenceInterval } from '../../../core/evaluation/interval.ts'
import type { ScoreThreshold } from '../../../core/webhook.ts'
import type { Queryable, Row } from '../../../platform/postgres/postgres.ts'

export interface Measured {
  readonly n: number
  /** A rate from 0 to 1, or a mean. */
  readonly value: number
  /** 95 % confidence interval. */
  readonly interval: ConfidenceInterval | null
  /** Time of the first counted score; `to` is the time of the last one. */
  readonly from: string
  readonly to: string
  readonly evaluators: readonly MeasuredEvaluator[]
}

interface MeasuredEvaluator {
  readonly evaluator_id: string | null
  readonly evaluator: string | null
  readonly version: number | null
  readonly n: number
}

interface VersionRow extends Row {
  readonly evaluator_id: string | null
  readonly evaluator: string | null
  readonly version: number | null
  readonly n: number
  readonly sum: number
  readonly squares: number
  readonly first_at: Date
  readonly last_at: Date
}

/** Maximum number of scores to measure, newest first. */
const scoresMax = 20_000
/**
 * Maximum number of packed scores, and of scores of later runs, to read under the threshold's
 * score name. They are filtered by evaluator, agent and domain afterwards, so only a few may
 * remain.
 */
const lookedAtMax = 50_000
/**
 * Maximum number of rows to search for packed scores, newest first. The names of packed scores have
 * no index.
 */
const decisionsMax = 200_000

/** Excludes pushed scores and the scores of superseded runs. */
const selectVersions = `
  select evaluator_id, max(evaluator) as evaluator, evaluator_version as version,
         count(*)::integer as n, sum(measure) as sum, sum(measure * measure) as squares,
         min(evaluated_at) as first_at, max(evaluated_at) as last_at
    from (
      select s.evaluator_id, s.evaluator, s.evaluator_version, s.evaluated_at,
             case when $7 = 'mean' then s.value else s.passed::integer end as measure
        from (
          (select e.evaluated_at, e.agent_id, e.domain, k.evaluator_id, k.evaluator,
                  k.evaluator_version, e.score_values[place] as value, e.passed[place] as passed,
                  e.superseded_by[place] is not null as is_superseded
             from (select evaluated_at, agent_id, domain, run_kinds, score_values, passed,
                          superseded_by
                     from evaluations
                    where organization_id = $1
                      and evaluated_at >= now() - make_interval(mins => $3)
                    order by evaluated_at desc
                    limit ${decisionsMax}) e
            cross join (select * from run_kinds
                         where organization_id = $1 and name collate "C" = $2) k
            cross join array_position(e.run_kinds, k.run_kind) as place
            where place is not null
            limit ${lookedAtMax})
           union all
          (select s.evaluated_at, s.agent_id, s.domain, s.evaluator_id, s.evaluator,
                  s.evaluator_version, s.value, s.passed,
                  exists (select from later_runs r
                           where r.organization_id = s.organization_id
                             and r.decision_id = s.decision_id and r.run_id = s.run_id
                             and r.superseded_by is not null)
             from later_scores s
            where organization_id = $1 and name collate "C" = $2 and octet_length(name) <= 1024
              and evaluated_at >= now() - make_interval(mins => $3)
              and source_kind = 'evaluator'
            order by evaluated_at desc
            limit ${lookedAtMax})) s
       where not s.is_superseded
         and ($4::text is null or s.evaluator_id = $4)
         and ($5::text is null or s.agent_id = $5)
         and ($6::text is null or s.domain = $6)
         and case when $7 = 'mean' then s.value is not null else s.passed is not null end
       order by s.evaluated_at desc
       limit ${scoresMax}) counted
   group by evaluator_id, evaluator_version`

/** Measures a threshold. Returns null if there is no score. */
export async function measureThreshold(
  store: Queryable,
  organizationId: string,
  threshold: ScoreThreshold
): Promise<Measured | null> {
  const { score, window_minutes, evaluator_id, agent_id, domain, metric } = threshold
  const rows = await store.query<VersionRow>(selectVersions, [
    organizationId,
    score,
    window_minutes,
    evaluator_id,
    agent_id,
    domain,
    metric
  ])
  return measuredOf(newestVersions(rows), metric)
}

/**
 * Returns the newest version of each evaluator. Values of different versions are not comparable, so
 * counting restarts with each version.
 */
function newestVersions(rows: readonly VersionRow[]): readonly VersionRow[] {
  const byEvaluator = Map.groupBy(rows, ({ evaluator_id }) => evaluator_id)
  return [...byEvaluator.values()].flatMap((versions) =>
    versions.toSorted((left, right) => (right.version ?? 0) - (left.version ?? 0)).slice(0, 1)
  )
}

function measuredOf(
  rows: readonly VersionRow[],
  metric: ScoreThreshold['metric']
): Measured | null {
  const total = (name: 'n' | 'sum' | 'squares'): number =>
    rows.reduce((sum, row) => sum + Number(row[name]), 0)
  const n = total('n')
  if (n === 0) return null
  const mean = total('sum') / n
  const times = rows.flatMap(({ first_at, last_at }) => [first_at.getTime(), last_at.getTime()])
  return {
    n,
    value: mean,
    interval:
      metric === 'mean'
        ? meanInterval({ mean, deviation: deviationOf(n, mean, total('squares')), n })
        : wilsonInterval(total('sum'), n),
    from: new Date(Math.min(...times)).toISOString(),
    to: new Date(Math.max(...times)).toISOString(),
    evaluators: rows.map((row) => {
      const { evaluator_id, evaluator, version } = row
      return { evaluator_id, evaluator, version, n: row.n }
    })
  }
}

/**
 * Returns the standard deviation, or null for a single value. For equal values, rounding can make
 * the sum of squared deviations slightly negative.
 */
function deviationOf(n: number, mean: number, squares: number): number | null {
  return n < 2 ? null : Math.sqrt(Math.max(0, squares - n * mean ** 2) / (n - 1))
}
