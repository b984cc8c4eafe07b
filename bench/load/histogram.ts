/** Latencies in buckets that are never wider than 1.6% of their value, however many there are. */

/** Buckets in which a power of two is divided, as a power of two itself. */
const precisionBits = 6
const linearMax = 2 ** (precisionBits + 1)
const microsecondsMax = 2 ** 31 - 1

export interface Histogram {
  record(ms: number): void
  /** The value below which `share` (0 to 1) of the values lie; NaN of nothing. */
  percentileMs(share: number): number
  /** Values by bucket; another process makes the same histogram of them. */
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

/** Small values have a bucket each; above, every power of two has equally many. */
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
