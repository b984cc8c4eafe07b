/** Whether two versions of an agent differ, or only seem to: differences with their intervals. */
import type { Interval } from '../../core/evaluation/interval.ts'
import { wilsonInterval } from '../../core/evaluation/interval.ts'

/** Of a mean: how many tell it, and how far they lie apart. */
export interface MeanSample {
  readonly n: number
  readonly mean: number | null
  readonly deviation: number | null
}

export interface RateSample {
  readonly n: number
  readonly part: number
}

export interface Comparison {
  readonly a: { readonly value: number | null; readonly n: number }
  readonly b: { readonly value: number | null; readonly n: number }
  /** `b` less `a`; null where one of them is not known. */
  readonly delta: number | null
  /** Of the difference, at 95 %. */
  readonly ci: Interval | null
  /** Whether the interval leaves 0 out; null where there is none. */
  readonly significant: boolean | null
}

const z = 1.959963984540054
/** With fewer, a normal interval of a mean says more than the sample does. */
export const meansMin = 20

/** After Welch, for samples so large that the normal distribution serves. */
export function compareMeans(a: MeanSample, b: MeanSample): Comparison {
  const ends = { a: { value: a.mean, n: a.n }, b: { value: b.mean, n: b.n } }
  if (a.mean === null || b.mean === null) return { ...ends, ...nothing }
  const delta = b.mean - a.mean
  const isKnown = a.deviation !== null && b.deviation !== null && Math.min(a.n, b.n) >= meansMin
  if (!isKnown) return { ...ends, delta, ci: null, significant: null }
  const variance = (a.deviation ?? 0) ** 2 / a.n + (b.deviation ?? 0) ** 2 / b.n
  const half = z * Math.sqrt(variance)
  return judged(ends, delta, [delta - half, delta + half])
}

/** Newcombe's interval, made of the two of Wilson: it holds for small samples and shares of 0. */
export function compareRates(a: RateSample, b: RateSample): Comparison {
  const left = rateOf(a)
  const right = rateOf(b)
  const ends = { a: { value: left.value, n: a.n }, b: { value: right.value, n: b.n } }
  if (left.ci === null || right.ci === null) return { ...ends, ...nothing }
  const delta = right.value - left.value
  const below = Math.hypot(right.value - right.ci[0], left.ci[1] - left.value)
  const above = Math.hypot(right.ci[1] - right.value, left.value - left.ci[0])
  return judged(ends, delta, [delta - below, delta + above])
}

const nothing = { delta: null, ci: null, significant: null }

function rateOf({ n, part }: RateSample) {
  const ci = wilsonInterval(part, n)
  return ci === null ? { value: null, ci } : { value: part / n, ci }
}

function judged(ends: Pick<Comparison, 'a' | 'b'>, delta: number, ci: Interval): Comparison {
  return { ...ends, delta, ci, significant: ci[0] > 0 || ci[1] < 0 }
}
