/** The route that returns decision statistics: metrics of decisions over time and by group. */
import { jsonReply } from '../../http/call.ts'
import { session } from '../../http/typed-route.ts'
import { jsonListOf } from '../page.ts'
import { routesOf } from '../services.ts'
import type { Services } from '../services.ts'
import type { OrganizationStore } from '../store.ts'
import { lagOf, readWatermark } from '../watermark.ts'
import { isSource, metricOf, sourceOf } from './metrics.ts'
import { statsParameters, statsQueryOf } from './query.ts'
import type { StatsQuery, StatsTexts } from './query.ts'
import { stats } from './schemas.ts'
import type { Stats, StatsSeries } from './schemas.ts'
import { selectSums, selectTopGroups, selectTopSums } from './select-sums.ts'
import type { SumRow } from './select-sums.ts'
import { breaksOf, seriesOf } from './stats-series.ts'

/**
 * Maximum number of groups that have their own series. All other groups are combined in one series.
 */
const groupsShownMax = 50
/**
 * Maximum number of points in a response. Sufficient for all metrics and the maximum number of
 * groups at the default interval.
 */
export const pointsMax = 25_000

export const statsRoutes = [
  routesOf('decisions')({
    method: 'get',
    path: '/v1/decisions/stats',
    who: session,
    id: 'readStats',
    summary: 'Get decision statistics',
    description:
      'Returns one series for each metric and group, and for a score one for each evaluator ' +
      'version; `breaks` lists when the version changes. Hours count in full: `meta.applied` ' +
      `contains the actual range. At most ${groupsShownMax} groups, the groups with the most ` +
      'decisions, have their own series, or fewer if the response would exceed ' +
      `${pointsMax.toLocaleString('en')} points.`,
    query: statsParameters,
    answers: { 200: { description: 'The statistics.', schema: stats } },
    problems: ['invalid_query'],
    share: 'expensive reads',
    handle: async ({ principal, query }, services) =>
      jsonReply(200, await statsOf(services, principal.organization_id, query))
  })
]

/**
 * @returns the response body as JSON
 * @throws {Problem} 422, 503
 */
export async function statsOf(
  { store, decisionsTopic, clock }: Services,
  organizationId: string,
  texts: StatsTexts
): Promise<string> {
  const query = statsQueryOf(texts, clock.now())
  const db = store.of(organizationId)
  // Read the watermark before the rows, so that the rows include everything up to it.
  const watermark = await readWatermark(db, decisionsTopic)
  const limits = limitsOf(query)
  const { rows, groupsTotal } = await readSums(db, query, limits)
  const series: StatsSeries[] = []
  let isCut = groupsTotal > limits.groupsMax
  for (const metric of query.metrics) {
    const ofMetric = await seriesOf(metric, rows.get(metric) ?? [], query)
    isCut ||= ofMetric.length > limits.seriesMax
    series.push(...largestOf(ofMetric, limits.seriesMax))
  }
  const meta: Stats['meta'] = {
    applied: appliedOf(texts, query),
    ...lagOf(watermark, clock),
    groups_total: groupsTotal,
    cut: isCut
  }
  const list = await jsonListOf(series, (each) => each)
  const breaks = JSON.stringify(breaksOf(series))
  return `{"series":${list},"breaks":${breaks},"meta":${JSON.stringify(meta)}}`
}

/** Returns limits that keep the response within `pointsMax` points. */
function limitsOf({ metrics, buckets }: StatsQuery) {
  // `seriesMax` applies to each metric. A score has one series per group and evaluator version.
  const seriesMax = Math.max(2, Math.floor(pointsMax / (metrics.length * buckets.starts.length)))
  return { seriesMax, groupsMax: Math.min(groupsShownMax, seriesMax - 1) }
}

/**
 * Reads the sums of each metric for the groups with the most decisions, with one statement per
 * source and, if necessary, one that ranks the groups. Reads one series more than `seriesMax`, if
 * there are more.
 */
async function readSums(
  store: OrganizationStore,
  { groups, filters, range, previous, buckets, bySource }: StatsQuery,
  { groupsMax, seriesMax }: ReturnType<typeof limitsOf>
) {
  const inRange = { groups, filters, from: range.from, to: range.to }
  const sumsQueryOf = (metrics: readonly string[]) => ({
    ...inRange,
    from: previous?.from ?? range.from,
    // Start the first bucket at the start of the range. The interval may start earlier, but
    // earlier hours must not count.
    starts: [range.from, ...buckets.starts.slice(1)],
    sums: metrics.flatMap((metric) => metricOf(metric).sums)
  })
  const rank = async () => {
    const source = sourceOf('count', groups, filters.domain !== undefined)
    if (groups.length === 0 || !isSource(source)) return null
    const metrics = bySource.get(source)
    if (metrics === undefined) {
      const groups = await selectTopGroups(store, source, { ...inRange, groupsMax })
      return { source, keys: groups.map(({ key }) => key), total: groups[0]?.total ?? 0 }
    }
    const wanted = { ...sumsQueryOf(metrics), groupsMax }
    return { source, ...(await selectTopSums(store, source, wanted)) }
  }
  const ranked = await rank()
  const keys = ranked?.keys ?? null
  const read = [...bySource].map(async ([source, metrics]) => {
    // Several score metrics share one source, so its maximum is multiplied by their number.
    const most = (seriesMax + 1) * (source.identity === undefined ? 1 : metrics.length)
    const wanted = { ...sumsQueryOf(metrics), keys, seriesMax: most }
    const isRead = ranked !== null && 'rows' in ranked && ranked.source === source
    const rows = isRead ? ranked.rows : await selectSums(store, source, wanted)
    const ordered = keys === null ? rows : inOrder(rows, keys)
    return metrics.map((metric) => [metric, ordered] as const)
  })
  return { rows: new Map((await Promise.all(read)).flat()), groupsTotal: ranked?.total ?? 1 }
}

/** Sorts rows in the order of `keys`. Rows with no key come last. */
function inOrder(rows: readonly SumRow[], keys: readonly string[]): readonly SumRow[] {
  const byKey = Map.groupBy(rows, ({ key }) => key)
  return [...keys, null].flatMap((key) => byKey.get(key) ?? [])
}

/** Returns the largest series in their original order. */
function largestOf(series: readonly StatsSeries[], seriesMax: number): readonly StatsSeries[] {
  if (series.length <= seriesMax) return series
  const bySize = series.toSorted((left, right) => right.total.n - left.total.n)
  const kept = new Set(bySize.slice(0, seriesMax))
  return series.filter((each) => kept.has(each))
}

function appliedOf(texts: StatsTexts, { range, buckets, groups, metrics }: StatsQuery) {
  return {
    from: new Date(range.from).toISOString(),
    to: new Date(range.to).toISOString(),
    metrics,
    group_by: groups,
    interval: buckets.interval,
    every: buckets.every,
    tz: texts.tz,
    agent_id: texts.agent_id ?? null,
    domain: texts.domain ?? null,
    compare: texts.compare ?? null
  }
}
