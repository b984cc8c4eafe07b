/** Summarizes scores: means and pass rates over time, with their sample sizes. */
import { meanInterval, wilsonInterval } from '../../../core/evaluation/interval.ts'
import { jsonReply } from '../../../http/call.ts'
import type { Reply } from '../../../http/call.ts'
import { jsonListOf } from '../../page.ts'
import type { Services } from '../../services.ts'
import type { OrganizationStore } from '../../store.ts'
import { invalidQuery, rangeOf } from '../../page.ts'
import type { TimeRange } from '../../time-range.ts'
import { lagOf, readWatermark } from '../../watermark.ts'
import { selectDenominators, selectPoints } from './queries.ts'
import type { DenominatorRow, PointRow, ScanExtent, SummaryQuery } from './queries.ts'
import { groupNames, hourlyDaysMax, rangeDaysMax, summaryLimits } from './schemas.ts'
import type { ScoreBreak, ScorePoint, ScoreSeries, SummaryParameters } from './schemas.ts'

const dayMs = 86_400_000
const autoHourlyDaysMax = 3
const { rowsMax, pointsMax } = summaryLimits

export async function summarizeScores(
  store: OrganizationStore,
  { from, to, group_by, interval, ...filters }: SummaryParameters,
  { evaluationsTopic, clock }: Services
): Promise<Reply> {
  const now = clock.now()
  const range = rangeOf({ from, to }, now)
  const groups = groupNamesOf(group_by)
  const query = { range, filters, groups, interval: intervalOf(interval, range, now) }
  const watermark = await readWatermark(store, evaluationsTopic)
  const { groups: points, scanned } = await selectPoints(store, query)
  const runs = await selectDenominators(store, query)
  const meta = {
    ...range,
    interval: query.interval,
    group_by: groups,
    cut: {
      scores_since: sinceOf(scanned),
      runs_since: sinceOf(runs.scanned),
      groups: Math.max(points.length, runs.groups.length) >= pointsMax
    },
    ...lagOf(watermark, clock)
  }
  const members = [
    `"series":${await jsonListOf(groupsOf(points), seriesOf)}`,
    `"breaks":${JSON.stringify(breaksOf(points))}`,
    `"denominators":${await jsonListOf(runs.groups, denominatorOf)}`,
    `"meta":${JSON.stringify(meta)}`
  ]
  return jsonReply(200, `{${members.join(',')}}`)
}

/** Parses a comma-separated list of groups. An empty list combines all scores in one group. */
function groupNamesOf(text: string): SummaryQuery['groups'] {
  const names = text === '' ? [] : text.split(',')
  const known = groupNames.filter((name) => names.includes(name))
  if (known.length === names.length) return names as SummaryQuery['groups'][number][]
  const detail = `must be a comma-separated list of ${groupNames.join(', ')}, each at most once`
  throw invalidQuery([{ pointer: '/group_by', detail }])
}

function intervalOf(
  asked: SummaryParameters['interval'],
  { from, to }: TimeRange,
  now: number
): SummaryQuery['interval'] {
  const days = ((to?.getTime() ?? now) - from.getTime()) / dayMs
  const detail = (most: number) => `must be at most ${most} days before \`to\``
  if (days > rangeDaysMax) throw invalidQuery([{ pointer: '/from', detail: detail(rangeDaysMax) }])
  if (asked === 'auto') return days > autoHourlyDaysMax ? 'day' : 'hour'
  if (asked === 'hour' && days > hourlyDaysMax) {
    const hourly = `${detail(hourlyDaysMax)} for an interval of an hour`
    throw invalidQuery([{ pointer: '/from', detail: hourly }])
  }
  return asked
}

/** Returns the time since which all rows were scanned; null if the whole range was scanned. */
function sinceOf({ rows, since }: ScanExtent): Date | null {
  return rows < rowsMax ? null : since
}

function denominatorOf({ key, rows: _, since: _since, ...counts }: DenominatorRow & ScanExtent) {
  return { key: JSON.parse(key) as object, ...counts }
}

/**
 * Groups points by group key, source, evaluator and version. Each result becomes one series.
 */
function groupsOf(rows: readonly PointRow[]): PointRow[][] {
  return [...Map.groupBy(rows, (row) => `${row.evaluator_version} ${trendOf(row)}`).values()]
}

/** @param group an element of the result of `groupsOf` */
function seriesOf(group: readonly PointRow[]): ScoreSeries {
  const [first] = group as [PointRow]
  const points = group.toSorted((left, right) => Number(left.t) - Number(right.t)).map(pointOf)
  return { ...identityOf(first), version: first.evaluator_version, points }
}

function breaksOf(rows: readonly PointRow[]): readonly ScoreBreak[] {
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
      at: new Date(at),
      key,
      evaluator_id,
      evaluator,
      from_version: starts[index]?.version ?? 0,
      to_version: version
    }))
  })
}

/**
 * Returns a key that identifies a trend across versions. It is unambiguous, because `key` is JSON
 * and `source_kind` contains no space.
 */
function trendOf({ key, source_kind, evaluator_id, evaluator }: PointRow): string {
  return `${key} ${source_kind} ${evaluator_id ?? evaluator}`
}

function identityOf({ key, source_kind, evaluator_id, evaluator }: PointRow) {
  const parsed = JSON.parse(key) as ScoreSeries['key']
  return { key: parsed, source: source_kind, evaluator_id, evaluator }
}

function pointOf(row: PointRow): ScorePoint {
  const { t, n, mean, deviation, n_valued, n_judged, n_passed, min, max } = row
  return {
    t,
    n,
    mean,
    ci: mean === null ? null : meanInterval({ mean, deviation, n: n_valued, min, max }),
    n_judged,
    n_passed,
    pass_rate: n_judged === 0 ? null : n_passed / n_judged,
    pass_rate_ci: wilsonInterval(n_passed, n_judged)
  }
}
