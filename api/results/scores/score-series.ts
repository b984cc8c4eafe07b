/** Trends of scores: one series for each group and evaluator version, and where versions change. */
import { meanInterval, wilsonInterval } from '../../../core/evaluation/interval.ts'
import type { Interval } from '../../../core/evaluation/interval.ts'
import type { PointRow } from './select-points.ts'

export interface Point {
  /** Where its interval of time begins; null when there are no intervals. */
  readonly t: string | null
  readonly n: number
  readonly mean: number | null
  readonly ci: Interval | null
  /** How many say whether they passed, and how many did. */
  readonly n_judged: number
  readonly n_passed: number
  readonly pass_rate: number | null
  readonly pass_rate_ci: Interval | null
}

type Key = Readonly<Record<string, string | null>>

interface SeriesIdentity {
  readonly key: Key
  readonly source: string
  readonly evaluator_id: string | null
  readonly evaluator: string
}

/** Versions are never mixed: what one measures is not what the next one does. */
export interface Series extends SeriesIdentity {
  readonly version: number
  readonly points: readonly Point[]
}

export interface Break extends Omit<SeriesIdentity, 'source'> {
  /** When the later version gave its first score. */
  readonly at: string
  readonly from_version: number
  readonly to_version: number
}

/** Points of one series each: of a group, a source and a version. */
export function groupsOf(rows: readonly PointRow[]): readonly (readonly PointRow[])[] {
  return [...Map.groupBy(rows, (row) => `${row.evaluator_version} ${trendOf(row)}`).values()]
}

/** @param group of `groupsOf` */
export function seriesOf(group: readonly PointRow[]): Series {
  const [first] = group as [PointRow]
  const points = group.toSorted((left, right) => Number(left.t) - Number(right.t)).map(pointOf)
  return { ...identityOf(first), version: first.evaluator_version, points }
}

export function breaksOf(rows: readonly PointRow[]): readonly Break[] {
  const ofEvaluators = rows.filter(({ source_kind }) => source_kind === 'evaluator')
  const trends = [...Map.groupBy(ofEvaluators, trendOf).values()]
  return trends.flatMap((trend) => {
    const [first] = trend as [PointRow]
    const { key, evaluator_id, evaluator } = identityOf(first)
    const starts = [...Map.groupBy(trend, (row) => row.evaluator_version)]
      .map(([version, ofVersion]) => {
        return { version, at: Math.min(...ofVersion.map(({ first_at }) => first_at.getTime())) }
      })
      .toSorted((left, right) => left.at - right.at)
    return starts.slice(1).map(({ version, at }, index) => ({
      at: new Date(at).toISOString(),
      ...{ key, evaluator_id, evaluator },
      from_version: starts[index]?.version ?? 0,
      to_version: version
    }))
  })
}

/** What goes on over versions. No two are one text: a key is JSON, and a kind has no space. */
function trendOf({ key, source_kind, evaluator_id, evaluator }: PointRow): string {
  return `${key} ${source_kind} ${evaluator_id ?? evaluator}`
}

function identityOf({ key, source_kind, evaluator_id, evaluator }: PointRow): SeriesIdentity {
  return { key: JSON.parse(key) as Key, source: source_kind, evaluator_id, evaluator }
}

function pointOf(row: PointRow): Point {
  const { t, n, mean, deviation, n_valued, n_judged, n_passed, min, max } = row
  return {
    t: t === null ? null : t.toISOString(),
    n,
    mean,
    ci: mean === null ? null : meanInterval({ mean, deviation, n: n_valued, min, max }),
    n_judged,
    n_passed,
    pass_rate: n_judged === 0 ? null : n_passed / n_judged,
    pass_rate_ci: wilsonInterval(n_passed, n_judged)
  }
}
