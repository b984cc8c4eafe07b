/** Parameters of statistics requests: their schemas, and how they are parsed and validated. */
import type { Violation } from '../../core/problem.ts'
import { oneOf, optional, text, withDefault } from '../../http/schema.ts'
import type { Static, TObject } from '../../http/schema.ts'
import { invalidQuery, rangeOf, textFilter, timeParameters } from '../page.ts'
import { agentIdOf } from '../profiles/agent-name.ts'
import { isMetric, isSource, metricNames, scoreNameOf, sourceOf } from './metrics.ts'
import { groupNames, isGroup } from './sum-sources.ts'
import type { SumGroupName, SumSource } from './sum-sources.ts'
import { bucketsOf, dayMs, hourMs, intervals, isTimeZone } from './time-buckets.ts'
import { previousOf, rangeOfHours } from './time-buckets.ts'
import type { HourRange } from './time-buckets.ts'

export const rangeDaysMax = 92
const hourlyDaysMax = 31
const windowHoursMax = 90 * 24
const metricsMax = 8
const groupsMax = 2

export const windowParameter = text({
  pattern: '^[1-9]\\d{0,3}[hd]$',
  examples: ['24h', '7d'],
  maxLength: 5,
  description: 'Hours or days up to now, such as 24h or 7d; from 1h to 90d.'
})

export const periodParameters = {
  window: optional(windowParameter),
  ...timeParameters('Received', `; maximum: ${rangeDaysMax} days before \`to\`.`)
}

export const bucketParameters = {
  interval: withDefault(
    oneOf(['auto', ...intervals], {
      type: 'string',
      default: 'auto',
      description:
        'Interval of the points. `auto` gives about 50 points. Hours for at most ' +
        `${hourlyDaysMax} days.`
    })
  ),
  tz: withDefault({
    ...textFilter('IANA name of the time zone for the start of days.', 64),
    default: 'UTC'
  })
}

export const statsParameters = {
  metrics: withDefault({
    ...textFilter(
      `Comma-separated metrics, at most ${metricsMax} of ${metricNames.join(', ')} and score:NAME.`,
      2000
    ),
    default: 'count'
  }),
  ...bucketParameters,
  compare: optional(
    oneOf(['previous'], {
      type: 'string',
      description:
        '`previous`: also returns the value of the period of the same length directly before.'
    })
  ),
  group_by: withDefault({
    ...textFilter(`Comma-separated groups: none, or at most two of ${groupNames.join(', ')}.`, 100),
    default: 'none'
  }),
  agent_id: optional(
    textFilter(
      'Only decisions of this agent; `_unattributed` selects decisions without an agent.',
      300
    )
  ),
  domain: optional(textFilter('Only decisions of this domain.', 100)),
  ...periodParameters
}

export type PeriodTexts = Static<TObject<typeof periodParameters>>
type BucketTexts = Static<TObject<typeof bucketParameters>>
export type StatsTexts = Static<TObject<typeof statsParameters>>
export type StatsQuery = ReturnType<typeof statsQueryOf>

/** @throws {Problem} 422 for invalid parameters */
export function statsQueryOf(texts: StatsTexts, now: number) {
  const metrics = metricsOf(texts.metrics)
  const groups = groupsOf(texts.group_by)
  const range = hourRangeOf(texts, now)
  const buckets = readBuckets(range, texts)
  const { agent_id, domain } = texts
  const names = metrics.flatMap((metric) => scoreNameOf(metric) ?? [])
  return {
    metrics,
    groups,
    range,
    filters: { agentId: agent_id === undefined ? undefined : agentIdOf(agent_id), domain, names },
    buckets,
    /** Null unless a comparison was requested. */
    previous: texts.compare === 'previous' ? previousOf(range) : null,
    /** The metrics by the source they are computed from. */
    bySource: bySourceOf(metrics, groups, domain !== undefined)
  }
}

/** @throws {Problem} 422 for too many hours or an unknown time zone */
export function readBuckets(range: HourRange, { interval, tz }: BucketTexts) {
  if (interval === 'hour' && range.to - range.from > hourlyDaysMax * dayMs) {
    throw invalid('/interval', `can be hour for at most ${hourlyDaysMax} days`)
  }
  if (!isTimeZone(tz)) {
    throw invalid('/tz', 'must be a time zone such as Europe/Berlin or UTC')
  }
  return bucketsOf(range, interval, tz)
}

/** Parses a comma-separated list of metrics. Score names in it cannot contain a comma. */
function metricsOf(text: string): readonly string[] {
  const names = text.split(',')
  const isFine = names.every(isMetric) && new Set(names).size === names.length
  if (isFine && names.length <= metricsMax) return names
  const known = `${metricNames.join(', ')} and score:NAME`
  const detail = `must be a list of at most ${metricsMax} of ${known}, each at most once`
  throw invalid('/metrics', detail)
}

function groupsOf(text: string): readonly SumGroupName[] {
  if (text === 'none') return []
  const names = text.split(',')
  const isFine = new Set(names).size === names.length && names.length <= groupsMax
  if (isFine && names.every(isGroup)) return names
  throw invalid('/group_by', `must be none, or at most ${groupsMax} of ${groupNames.join(', ')}`)
}

function bySourceOf(
  metrics: readonly string[],
  groups: readonly SumGroupName[],
  byDomain: boolean
): ReadonlyMap<SumSource, readonly string[]> {
  const bySource = new Map<SumSource, string[]>()
  const wrong: Violation[] = []
  for (const metric of metrics) {
    const found = sourceOf(metric, groups, byDomain)
    if (isSource(found)) bySource.set(found, [...(bySource.get(found) ?? []), metric])
    else wrong.push(found)
  }
  if (wrong.length > 0) throw invalidQuery(wrong)
  return bySource
}

/**
 * Parses a time range and extends it to whole hours, because sums are stored by hour.
 * @throws {Problem} 422 for an invalid range
 */
export function hourRangeOf(texts: PeriodTexts, now: number): HourRange {
  const { from, to } = endsOf(texts, now)
  if (to - from > rangeDaysMax * dayMs) {
    throw invalid('/from', `must be at most ${rangeDaysMax} days before \`to\``)
  }
  return rangeOfHours(from, to, now)
}

function endsOf({ window, ...texts }: PeriodTexts, now: number) {
  if (window !== undefined) {
    const isAlone = texts.from === undefined && texts.to === undefined
    if (isAlone) return { from: now - windowMsOf(window), to: now }
    throw invalid('/window', 'cannot be combined with `from` or `to`')
  }
  const range = rangeOf(texts, now)
  const ends = { from: range.from.getTime(), to: range.to?.getTime() ?? now }
  if (ends.from < ends.to) return ends
  throw invalid('/from', 'must be before `to` and before now')
}

/** @throws {Problem} 422 for an invalid duration */
function windowMsOf(window: string): number {
  const hours = Number(window.slice(0, -1)) * (window.endsWith('d') ? 24 : 1)
  if (hours >= 1 && hours <= windowHoursMax) return hours * hourMs
  throw invalid('/window', 'must be hours or days such as 24h or 7d, from 1h to 90d')
}

function invalid(pointer: string, detail: string) {
  return invalidQuery([{ pointer, detail }])
}
