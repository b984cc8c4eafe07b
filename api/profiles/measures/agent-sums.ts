/** The sums of an agent over a window and the one before it, laid out for its profile. */
import { hourMs, previousOf } from '../../stats/hour-range.ts'
import type { HourRange } from '../../stats/hour-range.ts'
import { rateOf } from '../../stats/metrics.ts'
import type { SumRow } from '../../stats/sum-rows.ts'
import { changeOf, sumOf } from '../../stats/stats-series.ts'
import type { Sums } from '../../stats/sum-sources.ts'
import type { Sample } from './select-sample.ts'

const pointsMax = 24
export const evaluationStatuses = [
  ...['evaluated', 'partial', 'failed', 'not_evaluated', 'evaluating', 'pending']
] as const
const verdicts = ['pass', 'fail', 'mixed', 'none'] as const
/** So many there are of a status and a verdict. */
export const statesMax = evaluationStatuses.length * verdicts.length

export interface Line {
  /** Where sums begin; the first is where the range does. */
  readonly starts: readonly number[]
  /** Whether the first of them is too short to be a point. */
  readonly skipsFirst: boolean
}

/** At most 24 points of as many whole hours each, up to the end of the range. */
export function lineOf({ from, to }: HourRange): Line {
  const hours = (to - from) / hourMs
  // A window of 24 hours touches 25 of the clock.
  const every = Math.max(1, Math.ceil((hours - 1) / pointsMax))
  const points = Math.min(pointsMax, Math.floor(hours / every))
  const first = to - points * every * hourMs
  const shown = Array.from({ length: points }, (_, index) => first + index * every * hourMs)
  const skipsFirst = first > from
  return { starts: skipsFirst ? [from, ...shown] : shown, skipsFirst }
}

/** Of the range itself; the bucket 0 is before it. */
export function nowOf(rows: readonly SumRow[]): Sums {
  return sumOf(rows.filter(({ bucket }) => bucket > 0).map(({ sums }) => sums))
}

export function beforeOf(rows: readonly SumRow[]): Sums {
  return sumOf(rows.filter(({ bucket }) => bucket === 0).map(({ sums }) => sums))
}

export function sparklineOf(rows: readonly SumRow[], { starts, skipsFirst }: Line) {
  const counts = new Map(rows.map(({ bucket, sums }) => [bucket, sums['decisions'] ?? 0]))
  const points = starts.map((start, index) => {
    return { t: new Date(start).toISOString(), n: counts.get(index + 1) ?? 0 }
  })
  return points.slice(skipsFirst ? 1 : 0)
}

/** An hour that is not over counts as the part of it that is. */
export function volumeOf(rows: readonly SumRow[], range: HourRange) {
  const now = nowOf(rows)['decisions'] ?? 0
  const previous = beforeOf(rows)['decisions'] ?? 0
  const hours = range.hoursOver / previousOf(range).hoursOver
  return { now, previous, change: changeOf(now, previous, hours) }
}

export function tokensOf(sums: Sums, sample: Sample) {
  const kind = (name: 'input_tokens' | 'output_tokens') => {
    const n = sums[`${name}_known`] ?? 0
    return { total: n === 0 ? null : (sums[name] ?? 0), n, ...percentilesOf(sample[name]) }
  }
  const input = kind('input_tokens')
  const output = kind('output_tokens')
  const ratio = output.total === null || !input.total ? null : output.total / input.total
  return { input, output, output_per_input: ratio }
}

export function percentilesOf(percentiles: readonly number[] | null) {
  const [p50 = null, p95 = null] = percentiles ?? []
  return { p50, p95 }
}

export function errorRateOf({ errors = 0, errors_known = 0 }: Sums) {
  return rateOf(errors, errors_known)
}

/** @param rows with the status and the verdict as key */
export function outcomesOf(rows: readonly SumRow[], decisions: number) {
  const now = rows.filter(({ bucket }) => bucket > 0)
  const countOf = (place: number, value: string) => {
    const ofValue = now.filter(({ key }) => (JSON.parse(key ?? '[]') as string[])[place] === value)
    return ofValue.reduce((sum, { sums }) => sum + (sums['decisions'] ?? 0), 0)
  }
  const known = nowOf(rows)['decisions'] ?? 0
  // No run of theirs is stored: nothing was planned for them, or they wait.
  const without_runs = Math.max(0, decisions - known)
  const ofVerdict = Object.fromEntries(verdicts.map((verdict) => [verdict, countOf(1, verdict)]))
  const ofStatus = Object.fromEntries(
    evaluationStatuses.map((status) => [status, countOf(0, status)])
  )
  return {
    verdicts: { ...ofVerdict, none: (ofVerdict['none'] ?? 0) + without_runs },
    evaluation: { ...ofStatus, without_runs },
    pass_rate: passRateOf(nowOf(rows)),
    pass_rate_before: passRateOf(beforeOf(rows))
  }
}

export function passRateOf({ passed = 0, judged = 0 }: Sums) {
  return rateOf(passed, judged)
}
