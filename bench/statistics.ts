/** Percentiles and medians of what was measured. */

/** The value below which `share` (0 to 1) of the sorted values lie. */
export function percentile(sorted: readonly number[], share: number): number {
  if (sorted.length === 0) return Number.NaN
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  return percentile(
    values.toSorted((left, right) => left - right),
    0.5
  )
}
