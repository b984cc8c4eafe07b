/** GET /v1/evaluation/scores/summary: means and pass rates, with what they rest on. */
import { jsonReply } from '../../../http/call.ts'
import type { SessionHandle } from '../../../http/route.ts'
import { jsonListOf } from '../../json-list.ts'
import { invalidQuery, rangeOf } from '../../time-page.ts'
import type { TimeRange } from '../../time-range.ts'
import { lagOf, readWatermark } from '../../watermark.ts'
import type { GroupName } from './group-columns.ts'
import { groupNames } from './group-columns.ts'
import type { ListResultsDependencies } from './list-scores.ts'
import type { ScoreFilters } from './score-filters.ts'
import { breaksOf, groupsOf, seriesOf } from './score-series.ts'
import { selectDenominators } from './select-denominators.ts'
import type { DenominatorRow } from './select-denominators.ts'
import { selectPoints } from './select-points.ts'
import type { Scanned, SummaryLimits, SummaryQuery } from './select-points.ts'

interface SummaryTexts extends ScoreFilters {
  readonly from?: string
  readonly to?: string
  readonly group_by: string
  readonly interval: 'auto' | SummaryQuery['interval']
}

export interface SummarizeDependencies extends ListResultsDependencies {
  readonly limits?: SummaryLimits
}

const dayMs = 86_400_000
export const rangeDaysMax = 92
export const hourlyDaysMax = 31
const autoHourlyDaysMax = 3
export const summaryLimits: SummaryLimits = Object.freeze({ rowsMax: 50_000, pointsMax: 5000 })

export function createSummarizeScores(dependencies: SummarizeDependencies): SessionHandle {
  const { store, evaluationsTopic, clock, limits = summaryLimits } = dependencies

  return async function summarizeScores(call) {
    const { from, to, group_by, interval, ...filters } = call.query as unknown as SummaryTexts
    const now = clock.now()
    const range = rangeOf({ from, to }, now)
    const groups = groupNamesOf(group_by)
    const query = { range, filters, groups, interval: intervalOf(interval, range, now) }
    const ours = store.of(call.principal.organization_id)
    const watermark = await readWatermark(ours, evaluationsTopic)
    const { points, scanned } = await selectPoints(ours, query, limits)
    const runs = await selectDenominators(ours, query, limits)
    const meta = {
      from: range.from.toISOString(),
      to: range.to?.toISOString() ?? null,
      interval: query.interval,
      group_by: groups,
      cut: {
        scores_since: sinceOf(scanned, limits),
        runs_since: sinceOf(runs.scanned, limits),
        groups: Math.max(points.length, runs.denominators.length) >= limits.pointsMax
      },
      ...lagOf(watermark, clock)
    }
    const members = [
      `"series":${await jsonListOf(groupsOf(points), seriesOf)}`,
      `"breaks":${JSON.stringify(breaksOf(points))}`,
      `"denominators":${await jsonListOf(runs.denominators, denominatorOf)}`,
      `"meta":${JSON.stringify(meta)}`
    ]
    return jsonReply(200, `{${members.join(',')}}`)
  }
}

/** Comma-separated; none is one group of all. */
function groupNamesOf(text: string): readonly GroupName[] {
  const names = text === '' ? [] : text.split(',')
  const isKnown = names.every((name) => (groupNames as readonly string[]).includes(name))
  if (isKnown && new Set(names).size === names.length) return names as GroupName[]
  const detail = `must be some of ${groupNames.join(', ')}, each once, with commas between`
  throw invalidQuery([{ pointer: '/group_by', detail }])
}

function intervalOf(
  asked: SummaryTexts['interval'],
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

/** From when on everything was looked at, where that is not all of the range. */
function sinceOf({ rows, since }: Scanned, { rowsMax }: SummaryLimits): string | null {
  return rows < rowsMax ? null : (since?.toISOString() ?? null)
}

function denominatorOf(row: DenominatorRow) {
  const { n_planned, n_scored, n_failed, n_skipped, n_pending, n_expired, n_canceled } = row
  const counts = { n_planned, n_scored, n_failed, n_skipped, n_pending, n_expired, n_canceled }
  return { key: JSON.parse(row.key) as object, ...counts }
}
