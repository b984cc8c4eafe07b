/** The time that sums are asked for, in whole hours: that is what they are kept by. */
import { invalidQuery, rangeOf } from '../time-page.ts'
import type { TimeTexts } from '../time-range.ts'

export interface PeriodTexts extends TimeTexts {
  /** Such as `24h` or `7d`, up to now; in place of `from` and `to`. */
  readonly window?: string | undefined
}

/** Half-open, in milliseconds, both on the hour. */
export interface HourRange {
  readonly from: number
  readonly to: number
  /** How many hours of it are over; the last of them in part. */
  readonly hoursOver: number
}

export const hourMs = 3_600_000
export const dayMs = 24 * hourMs
export const rangeDaysMax = 92
export const windowPattern = '^[1-9]\\d{0,3}[hd]$'
const windowHoursMax = 90 * 24
const expression = new RegExp(windowPattern)

/** @throws {Problem} 422 */
export function hourRangeOf(texts: PeriodTexts, now: number): HourRange {
  const { from, to } = endsOf(texts, now)
  if (to - from > rangeDaysMax * dayMs) {
    const detail = `must be at most ${rangeDaysMax} days before \`to\``
    throw invalidQuery([{ pointer: '/from', detail }])
  }
  return rangeOfHours(from, to, now)
}

/** The hours that touch it. */
export function rangeOfHours(from: number, to: number, now: number): HourRange {
  const start = Math.floor(from / hourMs) * hourMs
  const end = Math.ceil(to / hourMs) * hourMs
  return { from: start, to: end, hoursOver: Math.max(0, Math.min(end, now) - start) / hourMs }
}

/** As many hours, just before. */
export function previousOf({ from, to }: HourRange): HourRange {
  return { from: from - (to - from), to: from, hoursOver: (to - from) / hourMs }
}

function endsOf({ window, from, to }: PeriodTexts, now: number) {
  if (window !== undefined) {
    if (from === undefined && to === undefined) return { from: now - windowMsOf(window), to: now }
    throw invalidQuery([{ pointer: '/window', detail: 'goes without `from` and `to`' }])
  }
  const range = rangeOf({ from, to }, now)
  const ends = { from: range.from.getTime(), to: range.to?.getTime() ?? now }
  if (ends.from < ends.to) return ends
  throw invalidQuery([{ pointer: '/from', detail: 'must be before `to`, or before now' }])
}

/** @throws {Problem} 422 */
function windowMsOf(window: string): number {
  const hours = Number(window.slice(0, -1)) * (window.endsWith('d') ? 24 : 1)
  if (expression.test(window) && hours <= windowHoursMax) return hours * hourMs
  const detail = 'must be hours or days such as 24h or 7d, from 1h to 90d'
  throw invalidQuery([{ pointer: '/window', detail }])
}
