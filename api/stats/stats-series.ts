/** Converts sums to series: one per metric and group and, for scores, one per evaluator version. */
import { yieldToEventLoop } from '../../platform/process/yield-to-event-loop.ts'
import { measureOf, metricOf, scoreNameOf } from './metrics.ts'
import type { StatsQuery } from './query.ts'
import type { Measure, Stats, StatsSeries } from './schemas.ts'
import type { SumRow } from './select-sums.ts'
import type { SumName, Sums } from './sum-sources.ts'

/** @param rows the sums from the source of the metric */
export async function seriesOf(
  metric: string,
  rows: readonly SumRow[],
  query: StatsQuery
): Promise<StatsSeries[]> {
  const name = scoreNameOf(metric)
  const bySeries = Map.groupBy(rows, ({ key, identity }) => `${key ?? ''}${identity}`)
  const isEmpty = bySeries.size === 0 && query.groups.length === 0 && name === null
  const times = query.buckets.starts.map((start) => new Date(start).toISOString())
  const series: StatsSeries[] = []
  for (const ofSeries of isEmpty ? [[]] : bySeries.values()) {
    await yieldToEventLoop()
    if (name === null || identityOf(ofSeries[0]).name === name) {
      series.push(oneSeries(metric, ofSeries, { ...query, times }))
    }
  }
  return series
}

function oneSeries(
  metric: string,
  rows: readonly SumRow[],
  { groups, times, previous, range }: StatsQuery & { readonly times: readonly string[] }
): StatsSeries {
  const [first] = rows
  const { source, evaluator_id, version } = identityOf(first)
  const byBucket = new Map(rows.map(({ bucket, sums }) => [bucket, sums]))
  const points = times.map((t, index) => {
    return { t, ...measureOf(metric, byBucket.get(index + 1) ?? {}) }
  })
  const total = measureOf(metric, nowOf(rows))
  const hours = range.hoursOver / (previous?.hoursOver ?? 1)
  return {
    metric,
    key: keyOf(first?.key ?? null, groups),
    is_other: first?.key === null,
    source,
    evaluator_id,
    version,
    points,
    total,
    previous: previous === null ? null : previousOf(metric, byBucket.get(0) ?? {}, { total, hours })
  }
}

function previousOf(
  metric: string,
  sums: Sums,
  { total, hours }: { readonly total: Measure; readonly hours: number }
) {
  const before = measureOf(metric, sums)
  const isSum = metricOf(metric).isSum === true
  return { ...before, change: changeOf(total.value, before.value, isSum ? hours : 0) }
}

/**
 * @param hours the length of the current range divided by that of the previous one; 0 for rates and
 * means
 * @returns the relative change of the amount per hour, or the difference if `hours` is 0; null if
 * either value is unknown, or if `before` is 0 and the change is relative
 */
export function changeOf(now: number | null, before: number | null, hours: number): number | null {
  if (now === null || before === null) return null
  if (hours === 0) return now - before
  return before === 0 ? null : now / hours / before - 1
}

/** Returns the sums of the requested range. Excludes bucket 0, which holds the preceding range. */
export function nowOf(rows: readonly SumRow[]): Sums {
  return sumOf(rows.filter(({ bucket }) => bucket > 0).map(({ sums }) => sums))
}

export function sumOf(all: readonly Sums[]): Sums {
  const total: Partial<Record<SumName, number>> = {}
  for (const sums of all) {
    for (const name of Object.keys(sums) as SumName[]) {
      total[name] = (total[name] ?? 0) + (sums[name] ?? 0)
    }
  }
  return total
}

/**
 * Finds the times at which an evaluator's version changes. Versions may measure different things,
 * so values before and after are not comparable.
 */
export function breaksOf(series: readonly StatsSeries[]): Stats['breaks'] {
  const begun = series.flatMap(
    ({ source, metric, key, is_other, evaluator_id, version, points }) => {
      const at = points.find(({ n }) => n > 0)?.t
      if (source !== 'evaluator' || evaluator_id === null || at === undefined) return []
      return [{ at, version: version ?? 0, trend: { metric, key, is_other, evaluator_id } }]
    }
  )
  const trends = Map.groupBy(begun, ({ trend }) => JSON.stringify(trend))
  return [...trends.values()].flatMap((versions) => {
    const sorted = versions.toSorted((left, right) => {
      if (left.at === right.at) return left.version - right.version
      return left.at < right.at ? -1 : 1
    })
    return sorted.slice(1).map(({ at, version, trend }, index) => {
      return { at, ...trend, from_version: sorted[index]?.version ?? 0, to_version: version }
    })
  })
}

function keyOf(key: string | null, groups: StatsQuery['groups']) {
  const values = key === null ? [] : (JSON.parse(key) as (string | null)[])
  return Object.fromEntries(groups.map((group, index) => [group, values[index] ?? null]))
}

/** Parses the identity of a series. Only scores of evaluators have an evaluator id and version. */
function identityOf(row: SumRow | undefined) {
  const parts = JSON.parse(row?.identity ?? '[]') as [string?, string?, string?, number?]
  const [name = null, source = null, evaluator = '', version = 0] = parts
  const isEvaluated = evaluator !== ''
  const evaluator_id = isEvaluated ? evaluator : null
  return { name, source, evaluator_id, version: isEvaluated ? version : null }
}
