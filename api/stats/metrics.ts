/** What can be measured, from which sums, and what number comes of them. */
import { meanInterval, wilsonInterval } from '../../core/evaluation/interval.ts'
import type { Interval } from '../../core/evaluation/interval.ts'
import type { Violation } from '../../core/problem.ts'
import * as sources from './sum-sources.ts'
import type { GroupName, SumSource, Sums } from './sum-sources.ts'

export interface Measure {
  /** Null where there is nothing to measure. */
  readonly value: number | null
  /** On how many it rests: those that tell it. */
  readonly n: number
  readonly ci: Interval | null
}

export type MetricName = string

interface Metric {
  /** In the order of preference; the first that has the groups and the filters is taken. */
  readonly sources: readonly SumSource[]
  /** Those that `measure` reads. */
  readonly sums: readonly string[]
  readonly measure: (sums: Sums) => Measure
}

const scorePrefix = 'score:'

const ofDecisions = [sources.decisionSource, ...sources.facetNames.map(sources.facetSource)]

const metrics: Readonly<Record<string, Metric>> = {
  count: {
    sources: [...ofDecisions, sources.stateSource],
    sums: ['decisions'],
    measure: (sums) => ({ ...plain(sums['decisions'] ?? 0, 1), n: sums['decisions'] ?? 0 })
  },
  input_tokens: tokenMetric(['input_tokens']),
  output_tokens: tokenMetric(['output_tokens']),
  total_tokens: tokenMetric(['input_tokens', 'output_tokens']),
  cost: {
    sources: [sources.costSource],
    sums: ['usd', 'priced'],
    measure: ({ usd = 0, priced = 0 }) => plain(usd, priced)
  },
  error_rate: {
    sources: ofDecisions,
    sums: ['errors', 'errors_known'],
    measure: ({ errors = 0, errors_known = 0 }) => rateOf(errors, errors_known)
  },
  // Of squares of latencies nothing is kept, so the mean has no interval.
  latency_ms: {
    sources: ofDecisions,
    sums: ['latency_ms', 'latency_known'],
    measure: ({ latency_ms = 0, latency_known = 0 }) =>
      plain(latency_ms / latency_known, latency_known)
  },
  pass_rate: {
    sources: [sources.outcomeSource],
    sums: ['judged', 'passed'],
    measure: ({ passed = 0, judged = 0 }) => rateOf(passed, judged)
  }
}

const scoreMetric: Metric = {
  sources: [sources.scoreSource],
  sums: ['valued', 'value_sum', 'value_squares'],
  measure: meanOf
}

export const metricNames = Object.keys(metrics)

/** Null where the metric is of no score. */
export function scoreNameOf(metric: MetricName): string | null {
  return metric.startsWith(scorePrefix) ? metric.slice(scorePrefix.length) : null
}

export function isMetric(name: string): boolean {
  return Object.hasOwn(metrics, name) || (scoreNameOf(name) ?? '') !== ''
}

export function sumsOf(metric: MetricName): readonly string[] {
  return (metrics[metric] ?? scoreMetric).sums
}

export function measureOf(metric: MetricName, sums: Sums): Measure {
  return (metrics[metric] ?? scoreMetric).measure(sums)
}

/** @returns the sums to read, or why the metric does not go with these groups and filters. */
export function sourceOf(
  metric: MetricName,
  groups: readonly GroupName[],
  byDomain: boolean
): SumSource | Violation {
  const candidates = (metrics[metric] ?? scoreMetric).sources
  const serves = (source: SumSource) => groups.every((group) => group in source.groups)
  const serving = candidates.filter(serves)
  const found = serving.find(({ hasDomain }) => hasDomain || !byDomain)
  if (found !== undefined) return found
  if (serving.length > 0) {
    const detail = `does not go with ${metric} by ${groups.join(', ') || 'none'}`
    return { pointer: '/domain', detail: `${detail}: those sums are not kept by domain` }
  }
  const possible = candidates.map((source) => Object.keys(source.groups).join(' and '))
  const detail = `does not go with ${metric}, which goes with none or ${possible.join('; or ')}`
  return { pointer: '/group_by', detail }
}

export function isSource(found: SumSource | Violation): found is SumSource {
  return 'sums' in found
}

/** Of shares of decisions or scores. */
export function rateOf(part: number, n: number): Measure {
  return { value: n === 0 ? null : part / n, n, ci: wilsonInterval(part, n) }
}

/** Of scores: a sum, and the sum of the squares, tell how far the values lie apart. */
export function meanOf({ valued: n = 0, value_sum = 0, value_squares = 0 }: Sums): Measure {
  if (n === 0) return { value: null, n, ci: null }
  const mean = value_sum / n
  // Beyond what a number holds when the values are huge; rounded to less than 0 when they are one.
  const spread = value_squares - n * mean ** 2
  const isKnown = n >= 2 && Number.isFinite(spread)
  const deviation = isKnown ? Math.sqrt(Math.max(0, spread) / (n - 1)) : null
  return { value: mean, n, ci: meanInterval({ mean, deviation, n }) }
}

function plain(value: number, n: number): Measure {
  return { value: n === 0 ? null : value, n, ci: null }
}

/** Beside each kind of token stands how many decisions tell it. */
function tokenMetric(kinds: readonly string[]): Metric {
  return {
    sources: ofDecisions,
    sums: kinds.flatMap((kind) => [kind, `${kind}_known`]),
    measure: (sums) => {
      const total = kinds.reduce((sum, kind) => sum + (sums[kind] ?? 0), 0)
      return plain(total, Math.max(...kinds.map((kind) => sums[`${kind}_known`] ?? 0)))
    }
  }
}
