/** The bars of the histogram: how many decisions each interval has, and how many of them failed a
 * score.
 */
import type { StatsBody } from '../../api/wire.ts'

export interface Bar {
  readonly from: string
  readonly to: string
  readonly total: number
  /** With the verdict `fail` or `mixed`. */
  readonly failed: number
}

/** Converts statistics of the metric `count`, grouped by verdict, to bars, oldest first. */
export function barsOf({ series, meta }: StatsBody): readonly Bar[] {
  const sums = new Map<string, { total: number; failed: number }>()
  for (const { key, points } of series) {
    for (const { t, value } of points) {
      const sum = sums.get(t) ?? { total: 0, failed: 0 }
      sum.total += value ?? 0
      if (key['verdict'] === 'fail' || key['verdict'] === 'mixed') sum.failed += value ?? 0
      sums.set(t, sum)
    }
  }
  const sorted = [...sums].sort(([one], [other]) => Date.parse(one) - Date.parse(other))
  return sorted.map(([from, sum], index) => ({
    from,
    to: sorted[index + 1]?.[0] ?? meta.applied.to,
    ...sum
  }))
}
