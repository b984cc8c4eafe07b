/** Reads a topic without a consumer group: stretches of its partitions, from any offset or time.
 *
 * Nothing is joined and nothing is committed: a reader disturbs nobody and leaves nothing behind.
 */
import type { Gap, LogFetcher, OffsetRange, Stretch } from './log-fetcher.ts'
import type { Message } from './message-consumer.ts'

export interface TopicReader {
  /**
   * What each partition holds now, in their order. A transaction that is open ends it.
   * @throws when no broker answers, or when there is no such topic.
   */
  ranges(topic: string): Promise<OffsetRange[]>
  /**
   * By partition, the first offset whose message is of that time (milliseconds since 1970) or
   * later; the end of the partition where there is none.
   */
  offsetsAt(topic: string, time: number): Promise<bigint[]>
  /**
   * Reads the ranges one after the other, each to its end. Once `signal` is aborted it ends, early
   * and without an error.
   */
  read(topic: string, ranges: readonly OffsetRange[], signal: AbortSignal): AsyncIterable<Stretch>
  /**
   * Reads on from these offsets, one for each partition, until `signal` is aborted. A partition
   * that is added later is not noticed.
   */
  follow(topic: string, from: readonly bigint[], signal: AbortSignal): AsyncIterable<Stretch>
  close(): Promise<void>
}

/** So many answers without anything, one after the other, mean that nothing is there. */
const emptyAnswersMax = 2
/** There is no offset behind it. */
const farthest = 2n ** 63n - 1n

export function createTopicReader(fetcher: LogFetcher): TopicReader {
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
        const stretches = await fetchUnlessAborted(fetcher, { topic, ranges, signal })
        yield* stretches.filter(({ from: start, to }) => to > start)
        ranges = rangesBehind(ranges, stretches)
      }
    },
    close: () => fetcher.close()
  }
}

/** The messages of stretches, one by one. */
export async function* messagesOf(stretches: AsyncIterable<Stretch>): AsyncGenerator<Message> {
  for await (const { messages } of stretches) yield* messages
}

interface RangeReading {
  readonly topic: string
  readonly range: OffsetRange
  readonly signal: AbortSignal
}

async function* readRange(
  fetcher: LogFetcher,
  { topic, range, signal }: RangeReading
): AsyncGenerator<Stretch> {
  let left = range
  let emptyAnswers = 0
  while (left.from < left.to && !signal.aborted) {
    const [stretch] = await fetchUnlessAborted(fetcher, { topic, ranges: [left], signal })
    if (stretch === undefined) return
    emptyAnswers = stretch.to === stretch.from ? emptyAnswers + 1 : 0
    const read = emptyAnswers < emptyAnswersMax ? stretch : gapOf(left, 'absent')
    if (read.to > read.from) yield read
    left = { ...left, from: read.to }
  }
}

function rangesBehind(ranges: readonly OffsetRange[], stretches: readonly Stretch[]) {
  return ranges.map((range, index) => ({ ...range, from: stretches[index]?.to ?? range.from }))
}

interface Fetching {
  readonly topic: string
  readonly ranges: readonly OffsetRange[]
  readonly signal: AbortSignal
}

/** Nothing once it is aborted: the client may try for a long time to reach a broker. */
async function fetchUnlessAborted(fetcher: LogFetcher, fetching: Fetching): Promise<Stretch[]> {
  const { topic, ranges, signal } = fetching
  const aborted = Promise.withResolvers<Stretch[]>()
  const onAbort = (): void => aborted.resolve([])
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([fetchInRange(fetcher, topic, ranges), aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

async function fetchInRange(fetcher: LogFetcher, topic: string, ranges: readonly OffsetRange[]) {
  const answer = await fetcher.fetch(topic, ranges)
  if (answer !== 'out of range') return answer
  const starts = await fetcher.offsets(topic, 'start')
  const ends = await fetcher.offsets(topic, 'end')
  return ranges.map((range) => {
    const { partition, from, to } = range
    const [start = 0n, end = 0n] = [starts[partition], ends[partition]]
    // Deleted and made anew, or a log that was cut: what is there now is not what was asked for.
    if (from > end) throw new Error(`partition ${partition} of ${topic} ends before ${from}`)
    return gapOf({ ...range, to: start < from ? from : start < to ? start : to }, 'deleted')
  })
}

function gapOf(range: OffsetRange, kind: Gap['kind']): Stretch {
  const isEmpty = range.from === range.to
  return { ...range, messages: [], gaps: isEmpty ? [] : [{ ...range, kind }] }
}
