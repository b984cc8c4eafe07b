/** GET /v1/decisions/stats: how many, how much, how good, over time and by group. */
import type { Clock } from '../../../core/clock.ts'
import { jsonReply } from '../../call.ts'
import type { SessionHandle } from '../../route.ts'
import type { OrganizationStore, Store } from '../store.ts'
import { lagOf, readWatermark } from '../watermark.ts'
import { sourceOf } from './metrics.ts'
import type { MetricName } from './metrics.ts'
import { selectSums, selectTopGroups } from './select-sums.ts'
import type { SumRow, TopGroups } from './select-sums.ts'
import { statsQueryOf } from './stats-query.ts'
import type { StatsQuery, StatsTexts } from './stats-query.ts'
import { breaksOf, seriesOf } from './stats-series.ts'
import type { SumSource } from './sum-sources.ts'

export interface StatsDependencies {
  readonly store: Store
  readonly decisionsTopic: string
  readonly clock: Clock
}

/** More lines are not told apart; the rest is one more. */
export const groupsShownMax = 50

export function createReadStats(dependencies: StatsDependencies): SessionHandle {
  return async function readStats(call) {
    const texts = call.query as unknown as StatsTexts
    const answer = await statsOf(dependencies, call.principal.organization_id, texts)
    return jsonReply(200, JSON.stringify(answer))
  }
}

/** @throws {Problem} 422, 503 */
export async function statsOf(
  { store, decisionsTopic, clock }: StatsDependencies,
  organizationId: string,
  texts: StatsTexts
) {
  const query = statsQueryOf(texts, clock.now())
  const ours = store.of(organizationId)
  // The watermark before the rows: whatever it promises is then among them.
  const watermark = await readWatermark(ours, decisionsTopic)
  const top = await topOf(ours, query)
  const rows = await rowsOf(ours, query, top)
  const series = query.metrics.flatMap((metric) => seriesOf(metric, rows.get(metric) ?? [], query))
  return {
    series,
    breaks: breaksOf(series),
    meta: {
      applied: appliedOf(texts, query),
      ...lagOf(watermark, clock),
      groups_total: query.groups.length === 0 ? 1 : (top?.total ?? 0),
      cut: (top?.total ?? 0) > groupsShownMax
    }
  }
}

/** The largest groups by their number of decisions, whatever is measured; null without groups. */
async function topOf(store: OrganizationStore, query: StatsQuery): Promise<TopGroups | null> {
  const { groups, filters, range } = query
  if (groups.length === 0) return null
  const source = sourceOf('count', groups, filters.domain !== undefined) as SumSource
  const { agentId, domain } = filters
  return selectTopGroups(store, source, {
    ...{ groups, filters: { agentId, domain }, from: range.from, to: range.to },
    groupsMax: groupsShownMax
  })
}

/** Metrics of the same sums share a statement. */
async function rowsOf(
  store: OrganizationStore,
  query: StatsQuery,
  top: TopGroups | null
): Promise<ReadonlyMap<MetricName, readonly SumRow[]>> {
  const { metrics, sources, groups, filters, range, previous, buckets } = query
  const bySource = Map.groupBy(metrics, (metric) => sources.get(metric) as SumSource)
  const read = [...bySource].map(async ([source, ofSource]) => {
    const { names, ...others } = filters
    const rows = await selectSums(store, source, {
      groups,
      filters: source.identity === undefined ? others : { ...others, names },
      ...{ from: previous?.from ?? range.from, to: range.to },
      // The first point begins with the range, so that nothing before is taken for its own.
      starts: [range.from, ...buckets.starts.slice(1)],
      wanted: top?.keys ?? null
    })
    const ordered = inOrder(rows, top?.keys ?? [])
    return ofSource.map((metric) => [metric, ordered] as const)
  })
  return new Map((await Promise.all(read)).flat())
}

/** Of the groups as they are given; the others come last. */
function inOrder(rows: readonly SumRow[], keys: readonly string[]): readonly SumRow[] {
  const places = new Map(keys.map((key, place) => [key, place]))
  const placeOf = ({ key }: SumRow) => (key === null ? keys.length : (places.get(key) ?? 0))
  return rows.toSorted((left, right) => placeOf(left) - placeOf(right))
}

function appliedOf(texts: StatsTexts, { range, buckets, groups, metrics, timeZone }: StatsQuery) {
  return {
    ...{ from: new Date(range.from).toISOString(), to: new Date(range.to).toISOString() },
    ...{ metrics, group_by: groups, interval: buckets.interval, every: buckets.every },
    ...{ tz: timeZone, agent_id: texts.agent_id ?? null, domain: texts.domain ?? null },
    compare: texts.compare ?? null
  }
}
