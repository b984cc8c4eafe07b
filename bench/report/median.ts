/** The value in the middle: of a few rounds on a busy machine the one to believe. */

/** Of an even number the upper of the two in the middle; NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
