/** Tests that a reader covers a range to its end, across gaps, and never waits forever. */
import { describe, expect, test } from '@jest/globals'
import type {
  TopicFetcher,
  OffsetRange,
  FetchedRange
} from '../../../../platform/kafka/topic-fetcher.ts'
import type { Message } from '../../../../platform/kafka/message-consumer.ts'
import { createTopicReader, messagesOf } from '../../../../platform/kafka/topic-reader.ts'
import { aMessage } from '../../consumers/fakes.ts'

const never = new AbortController().signal

/**
 * A topic with one partition and messages at the given offsets. A response contains at most two of
 * them.
 */
class FakeFetcher implements TopicFetcher {
  readonly offsetsHeld: bigint[]
  start = 0n
  end: bigint
  fetches = 0
  hangs = false

  constructor(offsetsHeld: bigint[]) {
    this.offsetsHeld = offsetsHeld
    this.end = (offsetsHeld.at(-1) ?? -1n) + 1n
  }

  async offsets(_topic: string, at: bigint | 'start' | 'end'): Promise<bigint[]> {
    return [at === 'start' ? this.start : at === 'end' ? this.end : -1n]
  }

  async fetch(
    _topic: string,
    ranges: readonly OffsetRange[]
  ): Promise<FetchedRange[] | 'out of range'> {
    this.fetches += 1
    if (this.hangs) return await new Promise(() => {})
    if (ranges.some(({ from }) => from < this.start || from > this.end)) return 'out of range'
    return ranges.map((range) => {
      const held = this.offsetsHeld.filter((offset) => offset >= range.from && offset < range.to)
      const messages = held.slice(0, 2).map((offset) => aMessage({ offset }))
      const to = (messages.at(-1)?.offset ?? range.from - 1n) + 1n
      return { ...range, to, messages, gaps: [] }
    })
  }

  async close(): Promise<void> {}
}

async function readAll(fetcher: FakeFetcher, range: Partial<OffsetRange> = {}) {
  const ranges = [{ partition: 0, from: 0n, to: fetcher.end, ...range }]
  const fetchedRanges: FetchedRange[] = []
  for await (const each of createTopicReader(fetcher).read('t', ranges, never))
    fetchedRanges.push(each)
  const gaps = fetchedRanges.flatMap((fetched) => fetched.gaps)
  return {
    offsets: fetchedRanges.flatMap(({ messages }) => messages.map(({ offset }) => offset)),
    gaps: gaps.map(({ from, to, kind }) => `${from}-${to} ${kind}`)
  }
}

describe('read', () => {
  test('continues to the end of the range', async () => {
    const found = await readAll(new FakeFetcher([0n, 1n, 2n, 3n, 4n]), { to: 4n })
    expect(found).toEqual({ offsets: [0n, 1n, 2n, 3n], gaps: [] })
  })

  test('reports an unreachable end as a gap instead of waiting forever', async () => {
    const fetcher = new FakeFetcher([0n, 1n])
    fetcher.end = 5n
    expect(await readAll(fetcher)).toEqual({ offsets: [0n, 1n], gaps: ['2-5 absent'] })
    expect(fetcher.fetches).toBeLessThan(5)
  })

  test('reports records deleted by retention as a gap', async () => {
    const fetcher = new FakeFetcher([0n, 1n, 2n, 3n])
    fetcher.start = 3n
    expect(await readAll(fetcher)).toEqual({ offsets: [3n], gaps: ['0-3 deleted'] })
  })

  test('throws if the topic became shorter', async () => {
    await expect(readAll(new FakeFetcher([0n]), { from: 9n, to: 20n })).rejects.toThrow('before 9')
  })

  test('ends at once when aborted, whatever the client waits for', async () => {
    const fetcher = new FakeFetcher([0n])
    fetcher.hangs = true
    const stop = new AbortController()
    const ranges = [{ partition: 0, from: 0n, to: 1n }]
    const reading = messagesOf(createTopicReader(fetcher).read('t', ranges, stop.signal)).next()
    stop.abort()
    expect(await reading).toMatchObject({ done: true })
  })
})

test('follow continues after the last range, across deleted records', async () => {
  const fetcher = new FakeFetcher([4n, 5n, 6n])
  fetcher.start = 4n
  const stop = new AbortController()
  const seen: Message[] = []
  for await (const message of messagesOf(
    createTopicReader(fetcher).follow('t', [2n], stop.signal)
  )) {
    seen.push(message)
    if (seen.length === 3) stop.abort()
  }
  expect(seen.map(({ offset }) => offset)).toEqual([4n, 5n, 6n])
})

test('maps a time after all messages to the end', async () => {
  expect(await createTopicReader(new FakeFetcher([0n, 1n])).offsetsAt('t', 5)).toEqual([2n])
})
