/** What a caller asks of statistics: read from texts, and refused where sums cannot tell it. */
import type { Violation } from '../../core/problem.ts'
import { agentIdOf } from '../profiles/agent-name.ts'
import { invalidQuery } from '../time-page.ts'
import { dayMs, hourRangeOf, previousOf } from './hour-range.ts'
import type { HourRange, PeriodTexts } from './hour-range.ts'
import { isMetric, isSource, metricNames, scoreNameOf, sourceOf } from './metrics.ts'
import type { MetricName } from './metrics.ts'
import type { SumFilters } from './select-sums.ts'
import { groupNames } from './sum-sources.ts'
import type { GroupName, SumSource } from './sum-sources.ts'
import { bucketsOf, isTimeZone } from './time-buckets.ts'
import type { Buckets, Interval } from './time-buckets.ts'

export interface StatsTexts extends PeriodTexts {
  readonly metrics: string
  readonly group_by: string
  readonly agent_id?: string
  readonly domain?: string
  readonly interval: Interval | 'auto'
  readonly tz: string
  readonly compare?: 'previous'
}

export interface StatsQuery {
  readonly metrics: readonly MetricName[]
  readonly groups: readonly GroupName[]
  readonly filters: SumFilters
  readonly range: HourRange
  readonly buckets: Buckets
  /** Null when nothing is compared. */
  readonly previous: HourRange | null
  readonly timeZone: string
  /** Of each metric, where it is summed. */
  readonly sources: ReadonlyMap<MetricName, SumSource>
}

export const hourlyDaysMax = 31
export const metricsMax = 8
const groupsMax = 2

/** @throws {Problem} 422 */
export function statsQueryOf(texts: StatsTexts, now: number): StatsQuery {
  const metrics = metricsOf(texts.metrics)
  const groups = groupsOf(texts.group_by)
  const range = hourRangeOf(texts, now)
  refuseInterval(texts.interval, range)
  if (!isTimeZone(texts.tz)) {
    const detail = 'must be a time zone such as Europe/Berlin or UTC'
    throw invalidQuery([{ pointer: '/tz', detail }])
  }
  const { agent_id, domain } = texts
  const names = metrics.flatMap((metric) => scoreNameOf(metric) ?? [])
  return {
    ...{ metrics, groups, range, timeZone: texts.tz },
    filters: { agentId: agent_id === undefined ? undefined : agentIdOf(agent_id), domain, names },
    buckets: bucketsOf(range, texts.interval, texts.tz),
    previous: texts.compare === 'previous' ? previousOf(range) : null,
    sources: sourcesOf(metrics, groups, domain !== undefined)
  }
}

/** With commas between; the name of a score may have anything else in it. */
function metricsOf(text: string): readonly MetricName[] {
  const names = text.split(',')
  const isFine = names.every(isMetric) && new Set(names).size === names.length
  if (isFine && names.length <= metricsMax) return names
  const known = `${metricNames.join(', ')} and score:NAME`
  const detail = `must be at most ${metricsMax} of ${known}, each once, with commas between`
  throw invalidQuery([{ pointer: '/metrics', detail }])
}

function groupsOf(text: string): readonly GroupName[] {
  if (text === 'none') return []
  const names = text.split(',')
  const isKnown = names.every((name) => (groupNames as readonly string[]).includes(name))
  const isFine = isKnown && new Set(names).size === names.length
  if (isFine && names.length <= groupsMax) return names as GroupName[]
  const detail = `must be none, or at most ${groupsMax} of ${groupNames.join(', ')}`
  throw invalidQuery([{ pointer: '/group_by', detail }])
}

function refuseInterval(interval: StatsTexts['interval'], { from, to }: HourRange): void {
  if (interval !== 'hour' || to - from <= hourlyDaysMax * dayMs) return
  const detail = `of hours is for at most ${hourlyDaysMax} days`
  throw invalidQuery([{ pointer: '/interval', detail }])
}

function sourcesOf(
  metrics: readonly MetricName[],
  groups: readonly GroupName[],
  byDomain: boolean
): ReadonlyMap<MetricName, SumSource> {
  const found = metrics.map((metric) => [metric, sourceOf(metric, groups, byDomain)] as const)
  const wrong = found.flatMap(([, source]): Violation[] => (isSource(source) ? [] : [source]))
  if (wrong.length > 0) throw invalidQuery(wrong)
  return new Map(found as [MetricName, SumSource][])
}
