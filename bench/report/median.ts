/** Computes medians, which a few outliers on a busy machine do not distort. */

/**
 * Returns the median, or NaN for an empty list. For an even number of values, returns the upper
 * middle value.
 */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
