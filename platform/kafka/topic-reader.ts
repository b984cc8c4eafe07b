/** Topic reader: reads a topic from any offset or time without a consumer group.
 *
 * It commits no offsets, so it does not affect consumers.
 */
import type { Gap, TopicFetcher, OffsetRange, FetchedRange } from './topic-fetcher.ts'
import type { Message } from './message-consumer.ts'

export interface TopicReader {
  /**
   * Returns the available offsets of each partition, in partition order. Excludes open
   * transactions.
   * @throws if no broker responds or the topic does not exist
   */
  ranges(topic: string): Promise<OffsetRange[]>
  /**
   * Returns, for each partition, the offset of the first message at or after `time` (milliseconds
   * since 1970), or the end offset if there is no such message.
   */
  offsetsAt(topic: string, time: number): Promise<bigint[]>
  /** Reads the ranges one after another. Ends early without an error if `signal` is aborted. */
  read(
    topic: string,
    ranges: readonly OffsetRange[],
    signal: AbortSignal
  ): AsyncIterable<FetchedRange>
  /**
   * Reads from the given offsets, one per partition, until `signal` is aborted. Ignores partitions
   * that are added later.
   */
  follow(topic: string, from: readonly bigint[], signal: AbortSignal): AsyncIterable<FetchedRange>
  close(): Promise<void>
}

/** Number of consecutive empty responses after which a range counts as fully read. */
const emptyAnswersMax = 2
/** Greatest possible offset. */
const farthest = 2n ** 63n - 1n

export function createTopicReader(fetcher: TopicFetcher): TopicReader {
  return {
    ranges: async (topic) => {
      const [ends, starts] = await Promise.all([
        fetcher.offsets(topic, 'end'),
        fetcher.offsets(topic, 'start')
      ])
      return ends.map((to, partition) => ({ partition, from: starts[partition] ?? 0n, to }))
    },
    offsetsAt: async (topic, time) => {
      const ends = await fetcher.offsets(topic, 'end')
      const found = await fetcher.offsets(topic, BigInt(Math.max(0, Math.floor(time))))
      return ends.map((end, partition) => {
        const offset = found[partition] ?? -1n
        return offset < 0n ? end : offset
      })
    },
    async *read(topic, ranges, signal) {
      for (const range of ranges) yield* readRange(fetcher, { topic, range, signal })
    },
    async *follow(topic, from, signal) {
      let ranges = from.map((offset, partition) => ({ partition, from: offset, to: farthest }))
      while (!signal.aborted) {
        const fetchedRanges = await fetchUnlessAborted(fetcher, { topic, ranges, signal })
        yield* fetchedRanges.filter(({ from: start, to }) => to > start)
        ranges = rangesBehind(ranges, fetchedRanges)
      }
    },
    close: () => fetcher.close()
  }
}

/** Yields the messages of fetched ranges one by one. */
export async function* messagesOf(
  fetchedRanges: AsyncIterable<FetchedRange>
): AsyncGenerator<Message> {
  for await (const { messages } of fetchedRanges) yield* messages
}

interface RangeReading {
  readonly topic: string
  readonly range: OffsetRange
  readonly signal: AbortSignal
}

async function* readRange(
  fetcher: TopicFetcher,
  { topic, range, signal }: RangeReading
): AsyncGenerator<FetchedRange> {
  let left = range
  let emptyAnswers = 0
  while (left.from < left.to && !signal.aborted) {
    const [fetched] = await fetchUnlessAborted(fetcher, { topic, ranges: [left], signal })
    if (fetched === undefined) return
    emptyAnswers = fetched.to === fetched.from ? emptyAnswers + 1 : 0
    const read = emptyAnswers < emptyAnswersMax ? fetched : gapOf(left, 'absent')
    if (read.to > read.from) yield read
    left = { ...left, from: read.to }
  }
}

function rangesBehind(ranges: readonly OffsetRange[], fetchedRanges: readonly FetchedRange[]) {
  return ranges.map((range, index) => ({ ...range, from: fetchedRanges[index]?.to ?? range.from }))
}

interface Fetching {
  readonly topic: string
  readonly ranges: readonly OffsetRange[]
  readonly signal: AbortSignal
}

/**
 * Fetches the ranges. Returns no ranges as soon as the signal is aborted, because the client can
 * retry an unavailable broker for a long time.
 */
async function fetchUnlessAborted(
  fetcher: TopicFetcher,
  fetching: Fetching
): Promise<FetchedRange[]> {
  const { topic, ranges, signal } = fetching
  const aborted = Promise.withResolvers<FetchedRange[]>()
  const onAbort = (): void => aborted.resolve([])
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([fetchInRange(fetcher, topic, ranges), aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

async function fetchInRange(fetcher: TopicFetcher, topic: string, ranges: readonly OffsetRange[]) {
  const answer = await fetcher.fetch(topic, ranges)
  if (answer !== 'out of range') return answer
  const starts = await fetcher.offsets(topic, 'start')
  const ends = await fetcher.offsets(topic, 'end')
  return ranges.map((range) => {
    const { partition, from, to } = range
    const [start = 0n, end = 0n] = [starts[partition], ends[partition]]
    // The topic was truncated, or deleted and recreated, so its offsets no longer match.
    if (from > end) throw new Error(`partition ${partition} of ${topic} ends before ${from}`)
    return gapOf({ ...range, to: start < from ? from : start < to ? start : to }, 'deleted')
  })
}

function gapOf(range: OffsetRange, kind: Gap['kind']): FetchedRange {
  const isEmpty = range.from === range.to
  return { ...range, messages: [], gaps: isEmpty ? [] : [{ ...range, kind }] }
}
