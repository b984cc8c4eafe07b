/** GET /v1/decisions/stats: how many, how much, how good, over time and by group. */
import type { Clock } from '../../core/clock.ts'
import { jsonReply } from '../../http/call.ts'
import type { SessionHandle } from '../../http/route.ts'
import { jsonListOf } from '../json-list.ts'
import type { Store } from '../store.ts'
import { lagOf, readWatermark } from '../watermark.ts'
import { readSums } from './read-sums.ts'
import { statsQueryOf } from './stats-query.ts'
import type { StatsQuery, StatsTexts } from './stats-query.ts'
import { breaksOf, seriesOf } from './stats-series.ts'
import type { StatsSeries } from './stats-series.ts'

export interface StatsDependencies {
  readonly store: Store
  readonly decisionsTopic: string
  readonly clock: Clock
}

/** At most so many groups have series of their own; the others are added up in one. */
export const groupsShownMax = 50
/** Of one answer: all metrics at the usual interval, of as many groups as may be shown. */
export const pointsMax = 25_000

export function createReadStats(dependencies: StatsDependencies): SessionHandle {
  return async function readStats(call) {
    const texts = call.query as unknown as StatsTexts
    return jsonReply(200, await statsOf(dependencies, call.principal.organization_id, texts))
  }
}

/** @returns the answer as JSON text. @throws {Problem} 422, 503 */
export async function statsOf(
  { store, decisionsTopic, clock }: StatsDependencies,
  organizationId: string,
  texts: StatsTexts
): Promise<string> {
  const query = statsQueryOf(texts, clock.now())
  const ours = store.of(organizationId)
  // The watermark before the rows: whatever it promises is then among them.
  const watermark = await readWatermark(ours, decisionsTopic)
  const { seriesMax, groupsMax } = limitsOf(query)
  const { rows, top } = await readSums(ours, query, { groupsMax, seriesMax: seriesMax + 1 })
  const series: StatsSeries[] = []
  let isCut = top.total > groupsMax
  for (const metric of query.metrics) {
    const ofMetric = await seriesOf(metric, rows.get(metric) ?? [], query)
    isCut ||= ofMetric.length > seriesMax
    series.push(...largestOf(ofMetric, seriesMax))
  }
  const meta = {
    applied: appliedOf(texts, query),
    ...lagOf(watermark, clock),
    groups_total: query.groups.length === 0 ? 1 : top.total,
    cut: isCut
  }
  const list = await jsonListOf(series, (each) => each)
  const breaks = JSON.stringify(breaksOf(series))
  return `{"series":${list},"breaks":${breaks},"meta":${JSON.stringify(meta)}}`
}

/** The more points a series has, the fewer series there may be. */
function limitsOf({ metrics, buckets }: StatsQuery) {
  const seriesMax = Math.max(2, Math.floor(pointsMax / (metrics.length * buckets.starts.length)))
  return { seriesMax, groupsMax: Math.min(groupsShownMax, seriesMax - 1) }
}

/** In the order that they have. */
function largestOf(series: readonly StatsSeries[], seriesMax: number): readonly StatsSeries[] {
  if (series.length <= seriesMax) return series
  const bySize = series.toSorted((left, right) => right.total.n - left.total.n)
  const kept = new Set(bySize.slice(0, seriesMax))
  return series.filter((each) => kept.has(each))
}

function appliedOf(texts: StatsTexts, { range, buckets, groups, metrics, timeZone }: StatsQuery) {
  return {
    ...{ from: new Date(range.from).toISOString(), to: new Date(range.to).toISOString() },
    ...{ metrics, group_by: groups, interval: buckets.interval, every: buckets.every },
    ...{ tz: timeZone, agent_id: texts.agent_id ?? null, domain: texts.domain ?? null },
    compare: texts.compare ?? null
  }
}
