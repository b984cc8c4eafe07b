/** Where the points of a trend begin: hours, or days as a time zone has them. */
import { dayMs, hourMs } from './hour-range.ts'
import type { HourRange } from './hour-range.ts'

export type Interval = 'hour' | 'day' | 'none'

export interface Buckets {
  readonly interval: Interval
  /** How many hours or days a point is of. */
  readonly every: number
  /** When each begins, in milliseconds; the first one is not after the range begins. */
  readonly starts: readonly number[]
}

/** A trend of more is not seen on a screen. */
const pointsWanted = 60
const steps = [
  { interval: 'hour', every: 1, ms: hourMs },
  { interval: 'hour', every: 3, ms: 3 * hourMs },
  { interval: 'hour', every: 6, ms: 6 * hourMs },
  { interval: 'day', every: 1, ms: dayMs },
  { interval: 'day', every: 2, ms: 2 * dayMs }
] as const

export function bucketsOf(range: HourRange, asked: Interval | 'auto', timeZone: string): Buckets {
  if (asked === 'none') return { interval: 'none', every: 1, starts: [range.from] }
  const step =
    asked === 'auto'
      ? (steps.find(({ ms }) => (range.to - range.from) / ms <= pointsWanted) ?? steps[4])
      : { interval: asked, every: 1 }
  const { interval, every } = step
  const starts = interval === 'hour' ? hourStarts(range, every) : dayStarts(range, every, timeZone)
  return { interval, every, starts }
}

/** To validate a zone takes about 1 ms. These are validated already; aliases are not among them. */
const knownZones = new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])

/** Whether the platform knows the zone; offsets such as +02:00 are none. */
export function isTimeZone(name: string): boolean {
  if (knownZones.has(name)) return true
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

function hourStarts({ from, to }: HourRange, every: number): readonly number[] {
  const first = Math.floor(from / (every * hourMs)) * every * hourMs
  return startsFrom(first, to, (start) => start + every * hourMs)
}

function dayStarts({ from, to }: HourRange, every: number, timeZone: string): readonly number[] {
  const offsetAt = createOffsetAt(timeZone)
  const localDay = (instant: number) => Math.floor((instant + offsetAt(instant)) / dayMs)
  const startOf = (day: number): number => {
    const local = day * dayMs
    const guess = local - offsetAt(local)
    // Near a change of the clocks the first guess has the offset of the other side.
    return local - offsetAt(guess)
  }
  const firstDay = localDay(from)
  let day = firstDay
  return startsFrom(startOf(firstDay), to, () => startOf((day += every)))
}

function startsFrom(first: number, to: number, next: (start: number) => number): number[] {
  const starts: number[] = []
  for (let start = first; start < to; start = next(start)) starts.push(start)
  return starts
}

/** @returns how far the clocks of the zone are ahead of UTC then, in milliseconds. */
function createOffsetAt(timeZone: string) {
  const two = '2-digit'
  const format = new Intl.DateTimeFormat('en', {
    ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: two, day: two },
    ...{ hour: two, minute: two, second: two }
  })
  return function offsetAt(instant: number): number {
    const parts = format.formatToParts(instant)
    const part = (type: string) => Number(parts.find((each) => each.type === type)?.value)
    const local = Date.UTC(
      ...([part('year'), part('month') - 1, part('day')] as const),
      ...([part('hour'), part('minute'), part('second')] as const)
    )
    return local - Math.floor(instant / 1000) * 1000
  }
}
