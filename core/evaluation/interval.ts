/** Computes 95 % confidence intervals, which show how reliable a rate or mean is. */

/** Lower and upper bound. */
export type ConfidenceInterval = readonly [number, number]

/** Quantile of the normal distribution for an interval of 95 %. */
export const z = 1.959963984540054

/**
 * Returns the Wilson score interval of a proportion. It stays within [0, 1], even for extreme
 * proportions.
 * @returns null if n is 0
 */
export function wilsonInterval(passed: number, n: number): ConfidenceInterval | null {
  if (n === 0) return null
  const share = passed / n
  const denominator = 1 + z ** 2 / n
  const center = (share + z ** 2 / (2 * n)) / denominator
  const half = (z / denominator) * Math.sqrt((share * (1 - share)) / n + z ** 2 / (4 * n ** 2))
  return [Math.max(0, center - half), Math.min(1, center + half)]
}

/**
 * Returns the interval of a mean, computed from the standard deviation of the sample and clipped to
 * `min` and `max` if they are set.
 * @returns null for fewer than two values, because they have no standard deviation
 */
export function meanInterval(sample: {
  readonly mean: number
  readonly deviation: number | null
  readonly n: number
  readonly min?: number | null
  readonly max?: number | null
}): ConfidenceInterval | null {
  const { mean, deviation, n, min, max } = sample
  if (n < 2 || deviation === null) return null
  const half = (z * deviation) / Math.sqrt(n)
  return [Math.max(min ?? -Infinity, mean - half), Math.min(max ?? Infinity, mean + half)]
}
