/** Computes the measures of an agent from sums over the requested range and the range before it. */
import { evaluationStatuses } from '../../core/evaluation/evaluation-status.ts'
import { verdicts } from '../../core/evaluation/evaluation.ts'
import { measureOf } from '../stats/metrics.ts'
import type { SumRow } from '../stats/select-sums.ts'
import { changeOf, nowOf, sumOf } from '../stats/stats-series.ts'
import type { Sums } from '../stats/sum-sources.ts'
import { hourMs, previousOf } from '../stats/time-buckets.ts'
import type { HourRange } from '../stats/time-buckets.ts'
import type { AgentSample } from './newest-decisions.ts'
import type { Prices } from './schemas.ts'

const pointsMax = 24
/** Number of combinations of status and verdict. */
export const statesMax = evaluationStatuses.length * verdicts.length

interface SparklineGrid {
  /** Start of each bucket. The first one is the start of the range. */
  readonly starts: readonly number[]
  /** Whether the first bucket is too short to be shown as a point. */
  readonly skipsFirst: boolean
}

/**
 * Returns a grid of at most 24 points. Each covers the same whole number of hours, and the last
 * one ends at the end of the range.
 */
export function sparklineGridOf({ from, to }: HourRange): SparklineGrid {
  const hours = (to - from) / hourMs
  // A window of 24 hours touches 25 clock hours.
  const every = Math.max(1, Math.ceil((hours - 1) / pointsMax))
  const points = Math.min(pointsMax, Math.floor(hours / every))
  const first = to - points * every * hourMs
  const shown = Array.from({ length: points }, (_, index) => first + index * every * hourMs)
  const skipsFirst = first > from
  return { starts: skipsFirst ? [from, ...shown] : shown, skipsFirst }
}

export function sparklineOf(rows: readonly SumRow[], { starts, skipsFirst }: SparklineGrid) {
  const counts = new Map(rows.map(({ bucket, sums }) => [bucket, sums.decisions ?? 0]))
  const points = starts.map((start, index) => {
    return { t: new Date(start).toISOString(), n: counts.get(index + 1) ?? 0 }
  })
  return points.slice(skipsFirst ? 1 : 0)
}

function beforeOf(rows: readonly SumRow[]): Sums {
  return sumOf(rows.filter(({ bucket }) => bucket === 0).map(({ sums }) => sums))
}

/**
 * Compares the volume with that of the previous range. For the current hour, only the elapsed part
 * counts.
 */
export function volumeOf(rows: readonly SumRow[], range: HourRange) {
  const { decisions: now = 0 } = nowOf(rows)
  const { decisions: previous = 0 } = beforeOf(rows)
  const hours = range.hoursOver / previousOf(range).hoursOver
  return { now, previous, change: changeOf(now, previous, hours) }
}

export function tokensOf(sums: Sums, sample: AgentSample) {
  const kind = (name: 'input_tokens' | 'output_tokens') => {
    const { value: total, n } = measureOf(name, sums)
    return { total, n, ...percentilesOf(sample[name]) }
  }
  const input = kind('input_tokens')
  const output = kind('output_tokens')
  const ratio = output.total === null || !input.total ? null : output.total / input.total
  return { input, output, output_per_input: ratio }
}

/** Returns the measures of a group of decisions. */
export function measuresOf(sums: Sums) {
  return {
    decisions: sums.decisions ?? 0,
    input_tokens: measureOf('input_tokens', sums).value,
    output_tokens: measureOf('output_tokens', sums).value,
    error_rate: measureOf('error_rate', sums),
    latency_ms: latencyOf(sums)
  }
}

export function latencyOf(sums: Sums) {
  const { value, n } = measureOf('latency_ms', sums)
  return { value, n }
}

export function percentilesOf(percentiles: readonly number[] | null) {
  const [p50 = null, p95 = null] = percentiles ?? []
  return { p50, p95 }
}

/**
 * Counts the decisions with a value in the requested range.
 * @param place the index of `value` in the key of a row
 */
export function countOf(rows: readonly SumRow[], place: number, value: string): number {
  const ofValue = rows.filter(({ key }) => (JSON.parse(key ?? '[]') as string[])[place] === value)
  return nowOf(ofValue).decisions ?? 0
}

/** @param rows the sums, keyed by status and verdict */
export function outcomesOf(rows: readonly SumRow[], decisions: number) {
  const now = nowOf(rows)
  // Decisions without a stored run: none was planned, or all are pending.
  const without_runs = Math.max(0, decisions - (now.decisions ?? 0))
  const counts = (place: number, values: readonly string[]) =>
    Object.fromEntries(values.map((value) => [value, countOf(rows, place, value)]))
  return {
    verdicts: { ...counts(1, verdicts), none: countOf(rows, 1, 'none') + without_runs },
    evaluation: { ...counts(0, evaluationStatuses), without_runs },
    pass_rate: {
      ...measureOf('pass_rate', now),
      previous: measureOf('pass_rate', beforeOf(rows))
    }
  }
}

interface ModelTokens {
  /** The model; null if the decisions do not name a model. */
  readonly value: string | null
  readonly input_tokens: number | null
  readonly output_tokens: number | null
}

/**
 * Computes the cost of tokens from the prices in a profile.
 * @returns null if no token has a known price, because unknown does not mean free
 */
export function costOf(prices: Prices | null, models: readonly ModelTokens[]) {
  let usd = 0
  let priced = 0
  let total = 0
  for (const { value: model, input_tokens, output_tokens } of models) {
    const input = input_tokens ?? 0
    const output = output_tokens ?? 0
    const price = priceOf(prices ?? {}, model)
    total += input + output
    if (price === undefined) continue
    priced += input + output
    usd += (input * price.input_usd_per_million + output * price.output_usd_per_million) / 1e6
  }
  return pricedCost(usd, priced, total)
}

/** Adds the tokens not attributed to any model, as an entry for decisions without a model. */
export function withOtherTokens(models: readonly ModelTokens[], all: Sums): ModelTokens[] {
  const rest = (name: 'input_tokens' | 'output_tokens') => {
    const attributed = models.reduce((sum, model) => sum + (model[name] ?? 0), 0)
    return Math.max(0, (all[name] ?? 0) - attributed)
  }
  const [input_tokens, output_tokens] = [rest('input_tokens'), rest('output_tokens')]
  return [...models, { value: null, input_tokens, output_tokens }]
}

/** @param priced the number of tokens with a known price, out of `total` tokens */
export function pricedCost(usd: number, priced: number, total: number) {
  if (priced <= 0) return null
  return { usd, priced_share: Math.min(1, priced / total), price_source: 'profile' as const }
}

function priceOf(prices: Prices, model: string | null) {
  const name = model !== null && Object.hasOwn(prices, model) ? model : '*'
  return Object.hasOwn(prices, name) ? prices[name] : undefined
}
