/** Sums to trends: one series for each metric and group, and for each version of an evaluator. */
import { yieldTurn } from '../../platform/process/yield-turn.ts'
import type { Measure, MetricName } from './metrics.ts'
import { measureOf, scoreNameOf } from './metrics.ts'
import type { SumRow } from './sum-rows.ts'
import type { StatsQuery } from './stats-query.ts'
import type { Sums } from './sum-sources.ts'

type Key = Readonly<Record<string, string | null>>

export interface Point extends Measure {
  readonly t: string
}

export interface Previous extends Measure {
  /** By how much an hour has more now, as a share; of a rate or a mean: the difference. */
  readonly change: number | null
}

export interface StatsSeries {
  readonly metric: MetricName
  readonly key: Key
  /** Whether it is all the groups that have no series of their own. */
  readonly is_other: boolean
  readonly source: string | null
  readonly evaluator_id: string | null
  readonly version: number | null
  readonly points: readonly Point[]
  readonly total: Measure
  readonly previous: Previous | null
}

export interface Break {
  /** Where the first point of the later version begins. */
  readonly at: string
  readonly metric: MetricName
  readonly key: Key
  readonly is_other: boolean
  readonly evaluator_id: string
  readonly from_version: number
  readonly to_version: number
}

const summed = new Set(['count', 'input_tokens', 'output_tokens', 'total_tokens', 'cost'])

/** @param rows of the source of that metric */
export async function seriesOf(
  metric: MetricName,
  rows: readonly SumRow[],
  query: StatsQuery
): Promise<StatsSeries[]> {
  const name = scoreNameOf(metric)
  const bySeries = Map.groupBy(rows, ({ key, identity }) => `${key ?? ''}${identity}`)
  const isEmpty = bySeries.size === 0 && query.groups.length === 0 && name === null
  const times = query.buckets.starts.map(timeOf)
  const series: StatsSeries[] = []
  for (const ofSeries of isEmpty ? [[]] : bySeries.values()) {
    await yieldTurn()
    if (name === null || identityOf(ofSeries[0]).name === name) {
      series.push(oneSeries(metric, ofSeries, { ...query, times }))
    }
  }
  return series
}

function oneSeries(
  metric: MetricName,
  rows: readonly SumRow[],
  { groups, times, previous, range }: StatsQuery & { readonly times: readonly string[] }
): StatsSeries {
  const [first] = rows
  const { source, evaluator_id, version } = identityOf(first)
  const byBucket = new Map(rows.map(({ bucket, sums }) => [bucket, sums]))
  const points = times.map((t, index) => {
    return { t, ...measureOf(metric, byBucket.get(index + 1) ?? {}) }
  })
  const now = rows.filter(({ bucket }) => bucket > 0).map(({ sums }) => sums)
  const total = measureOf(metric, sumOf(now))
  const hours = range.hoursOver / (previous?.hoursOver ?? 1)
  return {
    ...{ metric, key: keyOf(first?.key ?? null, groups), is_other: first?.key === null },
    ...{ source, evaluator_id, version, points, total },
    previous: previous === null ? null : previousOf(metric, byBucket.get(0) ?? {}, { total, hours })
  }
}

function previousOf(
  metric: MetricName,
  sums: Sums,
  { total, hours }: { readonly total: Measure; readonly hours: number }
): Previous {
  const before = measureOf(metric, sums)
  return { ...before, change: changeOf(total.value, before.value, summed.has(metric) ? hours : 0) }
}

/**
 * @param hours how many hours of now go on one of before; 0 for what is no sum.
 * @returns null where one of the two is not known, or there was nothing to grow from
 */
export function changeOf(now: number | null, before: number | null, hours: number): number | null {
  if (now === null || before === null) return null
  if (hours === 0) return now - before
  return before === 0 ? null : now / hours / before - 1
}

export function sumOf(all: readonly Sums[]): Sums {
  const total: Record<string, number> = {}
  for (const sums of all) {
    for (const [name, value] of Object.entries(sums)) total[name] = (total[name] ?? 0) + value
  }
  return total
}

/** Where the version of an evaluator changes: what one measures is not what the next one does. */
export function breaksOf(series: readonly StatsSeries[]): readonly Break[] {
  const versioned = series.filter(({ source }) => source === 'evaluator')
  const trends = Map.groupBy(versioned, ({ metric, key, is_other, evaluator_id }) =>
    JSON.stringify([metric, key, is_other, evaluator_id])
  )
  return [...trends.values()].flatMap((versions) => {
    const begun = versions
      .flatMap((each) => ({ each, at: each.points.find(({ n }) => n > 0)?.t ?? [] }))
      .flatMap(({ each, at }) => (typeof at === 'string' ? [{ each, at }] : []))
      .toSorted((left, right) => (left.at < right.at ? -1 : versionOf(left) - versionOf(right)))
    return begun.slice(1).flatMap((later, index) => {
      const { metric, key, is_other, evaluator_id } = later.each
      const from_version = begun[index]?.each.version ?? 0
      const to_version = later.each.version ?? 0
      const names = { metric, key, is_other, evaluator_id: evaluator_id ?? '' }
      return [{ at: later.at, ...names, from_version, to_version }]
    })
  })
}

function versionOf({ each }: { readonly each: StatsSeries }): number {
  return each.version ?? 0
}

function keyOf(key: string | null, groups: StatsQuery['groups']): Key {
  const values = key === null ? [] : (JSON.parse(key) as (string | null)[])
  return Object.fromEntries(groups.map((group, index) => [group, values[index] ?? null]))
}

/** Scores that no evaluator gave have neither id nor version. */
function identityOf(row: SumRow | undefined) {
  const parts = JSON.parse(row?.identity ?? '[]') as [string?, string?, string?, number?]
  const [name = null, source = null, evaluator = '', version = 0] = parts
  const isEvaluated = evaluator !== ''
  const evaluator_id = isEvaluated ? evaluator : null
  return { name, source, evaluator_id, version: isEvaluated ? version : null }
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString()
}
