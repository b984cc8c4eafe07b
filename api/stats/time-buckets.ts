/** Divides a time range into hours, or into days in a time zone, for the points of a trend. */

/** Half-open range in milliseconds since 1970. Both ends are full hours. */
export interface HourRange {
  readonly from: number
  readonly to: number
  /** Number of elapsed hours in the range. Counts the elapsed part of the current hour. */
  readonly hoursOver: number
}

export const hourMs = 3_600_000
export const dayMs = 24 * hourMs

/** Returns the range of all hours that overlap with the given range. */
export function rangeOfHours(from: number, to: number, now: number): HourRange {
  const start = Math.floor(from / hourMs) * hourMs
  const end = Math.ceil(to / hourMs) * hourMs
  return { from: start, to: end, hoursOver: Math.max(0, Math.min(end, now) - start) / hourMs }
}

/** Returns the preceding range of the same length. */
export function previousOf({ from, to }: HourRange): HourRange {
  return { from: from - (to - from), to: from, hoursOver: (to - from) / hourMs }
}

export const intervals = ['hour', 'day', 'none'] as const
type Interval = (typeof intervals)[number]

/**
 * Approximate maximum number of points with the interval `auto`: as many as are legible in a
 * chart.
 */
const pointsWanted = 60
const steps = [
  { interval: 'hour', every: 1, ms: hourMs },
  { interval: 'hour', every: 3, ms: 3 * hourMs },
  { interval: 'hour', every: 6, ms: 6 * hourMs },
  { interval: 'day', every: 1, ms: dayMs },
  { interval: 'day', every: 2, ms: 2 * dayMs }
] as const

interface Buckets {
  readonly interval: Interval
  /** Number of hours or days per point. */
  readonly every: number
  /** Start of each point in milliseconds since 1970. The first point can start before the range. */
  readonly starts: readonly number[]
}

export function bucketsOf(
  range: HourRange,
  requested: Interval | 'auto',
  timeZone: string
): Buckets {
  if (requested === 'none') return { interval: 'none', every: 1, starts: [range.from] }
  const step =
    requested === 'auto'
      ? (steps.find(({ ms }) => (range.to - range.from) / ms <= pointsWanted) ?? steps[4])
      : { interval: requested, every: 1 }
  const { interval, every } = step
  const starts = interval === 'hour' ? hourStarts(range, every) : dayStarts(range, every, timeZone)
  return { interval, every, starts }
}

/**
 * Time zones that need no validation, which takes about 1 ms per name. Aliases are not included.
 */
const knownZones = new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])

/** Checks whether the name is a known time zone. Rejects offsets such as +02:00. */
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
    // Near a clock change, the guess can use the offset from the wrong side of the change, so
    // compute the offset again.
    return local - offsetAt(guess)
  }
  let day = localDay(from)
  return startsFrom(startOf(day), to, () => startOf((day += every)))
}

function startsFrom(first: number, to: number, next: (start: number) => number): number[] {
  const starts: number[] = []
  for (let start = first; start < to; start = next(start)) starts.push(start)
  return starts
}

/**
 * Creates a function that returns the UTC offset of the time zone at an instant, in milliseconds.
 */
function createOffsetAt(timeZone: string) {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric'
  })
  return function offsetAt(instant: number): number {
    const parts = format.formatToParts(instant)
    const part = (type: string) => Number(parts.find((each) => each.type === type)?.value)
    const [year, month, day] = [part('year'), part('month'), part('day')]
    const local = Date.UTC(year, month - 1, day, part('hour'), part('minute'), part('second'))
    return local - Math.floor(instant / 1000) * 1000
  }
}
