/** GET /v1/decisions/stats: how many, how much, how good, over time and by group. */
import type { Clock } from '../../core/clock.ts'
import { jsonReply } from '../../http/call.ts'
import type { SessionHandle } from '../../http/route.ts'
import type { Store } from '../store.ts'
import { lagOf, readWatermark } from '../watermark.ts'
import { readSums } from './read-sums.ts'
import { statsQueryOf } from './stats-query.ts'
import type { StatsQuery, StatsTexts } from './stats-query.ts'
import { breaksOf, seriesOf } from './stats-series.ts'

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
  const { rows, top } = await readSums(ours, query, groupsShownMax)
  const series = query.metrics.flatMap((metric) => seriesOf(metric, rows.get(metric) ?? [], query))
  return {
    series,
    breaks: breaksOf(series),
    meta: {
      applied: appliedOf(texts, query),
      ...lagOf(watermark, clock),
      groups_total: query.groups.length === 0 ? 1 : top.total,
      cut: top.total > groupsShownMax
    }
  }
}

function appliedOf(texts: StatsTexts, { range, buckets, groups, metrics, timeZone }: StatsQuery) {
  return {
    ...{ from: new Date(range.from).toISOString(), to: new Date(range.to).toISOString() },
    ...{ metrics, group_by: groups, interval: buckets.interval, every: buckets.every },
    ...{ tz: timeZone, agent_id: texts.agent_id ?? null, domain: texts.domain ?? null },
    compare: texts.compare ?? null
  }
}
