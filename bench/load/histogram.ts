/** Counts latencies in a histogram. A bucket is 1 µs wide, or at most 1.6% of its lower end. */

/** Binary logarithm of the number of buckets per power of two. */
const precisionBits = 6
const linearMax = 2 ** (precisionBits + 1)
const microsecondsMax = 2 ** 31 - 1

export interface Histogram {
  record(ms: number): void
  /** Returns the percentile for `share` (0 to 1), or NaN if nothing was recorded. */
  percentileMs(share: number): number
  /**
   * Number of values per bucket. `createHistogram` restores a histogram from these counts, for
   * example in another process.
   */
  readonly counts: readonly number[]
}

export function createHistogram(given: readonly number[] = []): Histogram {
  const counts = [...given]
  for (let at = 0; at <= bucketOf(microsecondsMax); at++) counts[at] ??= 0

  return {
    counts,
    record: (ms) => {
      const bucket = bucketOf(Math.min(Math.max(0, Math.round(ms * 1000)), microsecondsMax))
      counts[bucket] = (counts[bucket] ?? 0) + 1
    },
    percentileMs: (share) => {
      const total = counts.reduce((sum, count) => sum + count, 0)
      const wanted = Math.max(1, Math.ceil(total * share))
      let seen = 0
      const bucket = counts.findIndex((count) => (seen += count) >= wanted)
      return bucket < 0 ? Number.NaN : middleOf(bucket) / 1000
    }
  }
}

/**
 * Returns the bucket of a value. Each value below `linearMax` has its own bucket. Larger values
 * have 64 buckets per power of two.
 */
function bucketOf(microseconds: number): number {
  if (microseconds < linearMax) return microseconds
  const shift = 31 - Math.clz32(microseconds) - precisionBits
  return shift * 2 ** precisionBits + (microseconds >>> shift)
}

function middleOf(bucket: number): number {
  if (bucket < linearMax) return bucket
  const shift = (bucket >>> precisionBits) - 1
  const width = 2 ** shift
  return (bucket - shift * 2 ** precisionBits) * width + (width - 1) / 2
}
