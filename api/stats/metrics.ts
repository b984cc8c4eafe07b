/** Defines the metrics of statistics: the sums each metric needs, and how it is computed from them.
 */
import { meanInterval, wilsonInterval } from '../../core/evaluation/interval.ts'
import type { Violation } from '../../core/problem.ts'
import type { Measure } from './schemas.ts'
import {
  costSource,
  decisionSource,
  facetNames,
  facetSource,
  outcomeSource
} from './sum-sources.ts'
import { scoreSource, stateSource } from './sum-sources.ts'
import type { SumGroupName, SumName, SumSource, Sums } from './sum-sources.ts'

interface Metric {
  /** Sources in order of preference. The first one that supports the groups and filters is used. */
  readonly sources: readonly SumSource[]
  /** Names of the sums that `measure` needs. */
  readonly sums: readonly SumName[]
  readonly measure: (sums: Sums) => Measure
  /** Whether the value is a sum, which grows with the length of the range. */
  readonly isSum?: boolean
}

const scorePrefix = 'score:'

const ofDecisions = [decisionSource, ...facetNames.map(facetSource)]

const metrics: Readonly<Record<string, Metric>> = {
  count: {
    sources: [...ofDecisions, stateSource],
    sums: ['decisions'],
    measure: ({ decisions = 0 }) => ({ value: decisions, n: decisions, ci: null }),
    isSum: true
  },
  input_tokens: tokenMetric(['input_tokens']),
  output_tokens: tokenMetric(['output_tokens']),
  total_tokens: tokenMetric(['input_tokens', 'output_tokens']),
  cost: {
    sources: [costSource],
    sums: ['usd', 'priced'],
    measure: ({ usd = 0, priced = 0 }) => plain(usd, priced),
    isSum: true
  },
  error_rate: rateMetric(ofDecisions, 'errors', 'errors_known'),
  // Has no confidence interval, because the squares of latencies are not stored.
  latency_ms: {
    sources: ofDecisions,
    sums: ['latency_ms', 'latency_known'],
    measure: ({ latency_ms = 0, latency_known = 0 }) =>
      plain(latency_ms / latency_known, latency_known)
  },
  pass_rate: rateMetric([outcomeSource], 'passed', 'judged')
}

const scoreMetric: Metric = {
  sources: [scoreSource],
  sums: ['valued', 'value_sum', 'value_squares'],
  measure: meanOf
}

export const metricNames = Object.keys(metrics)

/** Returns the score name, or null if the metric is not a score. */
export function scoreNameOf(metric: string): string | null {
  return metric.startsWith(scorePrefix) ? metric.slice(scorePrefix.length) : null
}

export function isMetric(name: string): boolean {
  return Object.hasOwn(metrics, name) || (scoreNameOf(name) ?? '') !== ''
}

export function metricOf(name: string): Metric {
  return metrics[name] ?? scoreMetric
}

export function measureOf(metric: string, sums: Sums): Measure {
  return metricOf(metric).measure(sums)
}

/**
 * Chooses the source of a metric.
 * @returns the source, or the violation if no source supports the groups and filters
 */
export function sourceOf(
  metric: string,
  groups: readonly SumGroupName[],
  byDomain: boolean
): SumSource | Violation {
  const { sources } = metricOf(metric)
  const serving = sources.filter((source) => groups.every((group) => group in source.groups))
  const found = serving.find((source) => !byDomain || 'domain' in source.groups)
  if (found !== undefined) return found
  if (serving.length > 0) {
    const detail = `cannot be combined with ${metric} grouped by ${groups.join(', ') || 'none'}`
    return { pointer: '/domain', detail: `${detail}: these sums are not kept by domain` }
  }
  const possible = sources.map((source) => Object.keys(source.groups).join(' and '))
  const detail = `cannot be combined with ${metric}; allowed: none or ${possible.join('; or ')}`
  return { pointer: '/group_by', detail }
}

export function isSource(found: SumSource | Violation): found is SumSource {
  return 'sums' in found
}

/**
 * Returns the mean of scores. Computes its confidence interval from their sum and sum of squares.
 */
export function meanOf({ valued: n = 0, value_sum = 0, value_squares = 0 }: Sums): Measure {
  if (n === 0) return { value: null, n, ci: null }
  const mean = value_sum / n
  // The spread is not finite for huge values. For equal values, rounding errors can make it
  // slightly negative.
  const spread = value_squares - n * mean ** 2
  const isKnown = n >= 2 && Number.isFinite(spread)
  const deviation = isKnown ? Math.sqrt(Math.max(0, spread) / (n - 1)) : null
  return { value: mean, n, ci: meanInterval({ mean, deviation, n }) }
}

function plain(value: number, n: number): Measure {
  return { value: n === 0 ? null : value, n, ci: null }
}

/** Returns a rate with its confidence interval. */
function rateOf(part: number, n: number): Measure {
  return { value: n === 0 ? null : part / n, n, ci: wilsonInterval(part, n) }
}

function rateMetric(sources: readonly SumSource[], part: SumName, whole: SumName): Metric {
  const measure = (sums: Sums) => rateOf(sums[part] ?? 0, sums[whole] ?? 0)
  return { sources, sums: [part, whole], measure }
}

/**
 * Creates a metric of token counts. For each kind of token, `<kind>_known` counts the decisions
 * that report it.
 */
function tokenMetric(kinds: readonly ('input_tokens' | 'output_tokens')[]): Metric {
  return {
    sources: ofDecisions,
    sums: kinds.flatMap((kind) => [kind, `${kind}_known` as const]),
    measure: (sums) => {
      const total = kinds.reduce((sum, kind) => sum + (sums[kind] ?? 0), 0)
      return plain(total, Math.max(...kinds.map((kind) => sums[`${kind}_known`] ?? 0)))
    },
    isSum: true
  }
}
