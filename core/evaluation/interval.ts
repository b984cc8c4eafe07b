/** Confidence intervals at 95 %, so that a rate of three is not taken for one of three thousand. */

/** Lower and upper end. */
export type Interval = readonly [number, number]

const z = 1.959963984540054

/**
 * Wilson's score interval of a share; it stays between 0 and 1, also for none and for all.
 * @returns null when there is nothing to judge by.
 */
export function wilsonInterval(passed: number, n: number): Interval | null {
  if (n === 0) return null
  const share = passed / n
  const denominator = 1 + z ** 2 / n
  const center = (share + z ** 2 / (2 * n)) / denominator
  const half = (z / denominator) * Math.sqrt((share * (1 - share)) / n + z ** 2 / (4 * n ** 2))
  return [Math.max(0, center - half), Math.min(1, center + half)]
}

/**
 * Of a mean, from the deviation of its sample; within the range that its values have, if any.
 * @returns null for fewer than two, which deviate from nothing.
 */
export function meanInterval(sample: {
  readonly mean: number
  readonly deviation: number | null
  readonly n: number
  readonly min?: number | null
  readonly max?: number | null
}): Interval | null {
  const { mean, deviation, n, min, max } = sample
  if (n < 2 || deviation === null) return null
  const half = (z * deviation) / Math.sqrt(n)
  return [Math.max(min ?? -Infinity, mean - half), Math.min(max ?? Infinity, mean + half)]
}
