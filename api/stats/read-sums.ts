/** The sums of all metrics that were asked for: metrics of the same sums share a statement. */
import type { OrganizationStore } from '../store.ts'
import { sourceOf, sumsOf } from './metrics.ts'
import type { MetricName } from './metrics.ts'
import { selectSums, selectTopGroups, selectTopSums } from './select-sums.ts'
import type { SelectSumsQuery, TopGroups } from './select-sums.ts'
import type { StatsQuery } from './stats-query.ts'
import type { SumRow } from './sum-rows.ts'
import type { SumSource } from './sum-sources.ts'

export interface ReadSums {
  readonly rows: ReadonlyMap<MetricName, readonly SumRow[]>
  readonly top: TopGroups
}

export interface SumLimits {
  readonly groupsMax: number
  /** Of each metric: a score has one for each group and evaluator version. */
  readonly seriesMax: number
}

/** Groups are the largest by their number of decisions, whatever is measured. */
export async function readSums(
  store: OrganizationStore,
  query: StatsQuery,
  { groupsMax, seriesMax }: SumLimits
): Promise<ReadSums> {
  const { metrics, sources, groups, filters } = query
  const bySource = Map.groupBy(metrics, (metric) => sources.get(metric) as SumSource)
  const counted = sourceOf('count', groups, filters.domain !== undefined) as SumSource
  const first = bySource.get(counted)
  const ranked =
    groups.length === 0 || first === undefined
      ? { rows: null, top: await topOf(store, query, { counted, groupsMax }) }
      : await selectTopSums(store, counted, { ...askedOf(query, counted, first), groupsMax })
  const wanted = groups.length === 0 ? null : ranked.top.keys
  const read = [...bySource].map(async ([source, ofSource]) => {
    const isRead = source === counted && ranked.rows !== null
    const asked = { ...askedOf(query, source, ofSource), wanted }
    // Metrics of one source are told apart by their identity, so they share its series.
    const most = seriesMax * (source.identity === undefined ? 1 : ofSource.length)
    const rows = isRead
      ? ranked.rows
      : await selectSums(store, source, { ...asked, seriesMax: most })
    const ordered = wanted === null ? rows : inOrder(rows, wanted)
    return ofSource.map((metric) => [metric, ordered] as const)
  })
  return { rows: new Map((await Promise.all(read)).flat()), top: ranked.top }
}

/** Of sums that say nothing of how many decisions there were. */
async function topOf(
  store: OrganizationStore,
  { groups, filters, range }: StatsQuery,
  { counted, groupsMax }: { readonly counted: SumSource; readonly groupsMax: number }
): Promise<TopGroups> {
  if (groups.length === 0) return { keys: [], total: 0 }
  const { agentId, domain } = filters
  return await selectTopGroups(store, counted, {
    ...{ groups, filters: { agentId, domain }, from: range.from, to: range.to, groupsMax }
  })
}

function askedOf(
  { groups, filters, range, previous, buckets }: StatsQuery,
  source: SumSource,
  metrics: readonly MetricName[]
): Omit<SelectSumsQuery, 'seriesMax'> {
  const { names, ...others } = filters
  return {
    groups,
    filters: source.identity === undefined ? others : { ...others, names },
    ...{ from: previous?.from ?? range.from, to: range.to },
    // The first point begins with the range, so that nothing before is taken for its own.
    starts: [range.from, ...buckets.starts.slice(1)],
    sums: metrics.flatMap(sumsOf)
  }
}

/** Of the groups as they are given; the others come last. */
function inOrder(rows: readonly SumRow[], keys: readonly string[]): readonly SumRow[] {
  const byKey = Map.groupBy(rows, ({ key }) => key)
  return [...keys, null].flatMap((key) => byKey.get(key) ?? [])
}
