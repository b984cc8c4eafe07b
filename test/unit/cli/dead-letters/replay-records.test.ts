/** Tests the replay of dead-letter records: order, chunk size, and marking after acknowledgement.
 */
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { DeadLetteredMessage } from '../../../../cli/dead-letters/choose-records.ts'
import { replayRecords, runsOf } from '../../../../cli/dead-letters/replay-records.ts'
import type { Replay } from '../../../../cli/dead-letters/replay-records.ts'
import type { OffsetRange, FetchedRange } from '../../../../platform/kafka/topic-fetcher.ts'
import type { Queryable, Row } from '../../../../platform/postgres/postgres.ts'
import type { TopicReader } from '../../../../platform/kafka/topic-reader.ts'
import { aMessage, FakeProducer } from '../../consumers/fakes.ts'

const place = { topic: 'dead', timestamp: 5 }

function anOrigin(offset: number, letterAt = offset, partition = 0): DeadLetteredMessage {
  const deadLetters = [{ ...place, partition, offset: BigInt(letterAt) }]
  return { partition: 0, offset: BigInt(offset), deadLetters }
}

/**
 * A topic with a message at every offset. The value is the offset, padded to `valueBytes` bytes.
 */
class FullTopic implements TopicReader {
  readonly asked: OffsetRange[] = []
  valueBytes = 1

  async ranges(): Promise<OffsetRange[]> {
    return []
  }

  async offsetsAt(): Promise<bigint[]> {
    return []
  }

  async *read(_topic: string, ranges: readonly OffsetRange[]): AsyncGenerator<FetchedRange> {
    for (const range of ranges) {
      this.asked.push(range)
      const count = Number(range.to - range.from)
      const messages = Array.from({ length: count }, (_, index) => {
        const offset = range.from + BigInt(index)
        const value = Buffer.from(`${offset}`.padEnd(this.valueBytes))
        const headers = { traceparent: 'x', dead_letter_reason: 'undecodable' }
        return aMessage({ partition: range.partition, offset, value, headers })
      })
      yield { ...range, messages, gaps: [] }
    }
  }

  async *follow(): AsyncGenerator<FetchedRange> {}

  async close(): Promise<void> {}
}

/** Appends the number of marked records to `events`. */
class Marks implements Queryable {
  readonly events: string[]

  constructor(events: string[]) {
    this.events = events
  }

  transaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T> {
    return work(this)
  }

  async query<R extends Row>(statement: string, values: readonly unknown[] = []): Promise<R[]> {
    if (!statement.startsWith('insert into dead_letter_marks')) return []
    this.events.push(`marked ${(values[1] as unknown[]).length}`)
    return []
  }
}

let events: string[]
let reader: FullTopic
let producer: FakeProducer
let stop: AbortController

beforeEach(() => {
  events = []
  reader = new FullTopic()
  producer = new FakeProducer(events)
  stop = new AbortController()
})

function replayOf(changes: Partial<Replay> = {}): Replay {
  return {
    ...{ reader, producer, postgres: new Marks(events), signal: stop.signal, by: 'me' },
    ...{ topic: 'dead', originTopic: 'agent-decisions', progress: () => {} },
    ...changes
  }
}

describe('replay', () => {
  test('writes the original message to its topic, in the order of the origins', async () => {
    expect(await replayRecords([anOrigin(1, 7), anOrigin(2, 3)], replayOf())).toBe(2)
    expect(producer.records.map(({ value }) => String(value))).toEqual(['7', '3'])
    expect(producer.records[0]).toMatchObject({
      topic: 'agent-decisions',
      headers: { traceparent: 'x' }
    })
    expect(producer.records[0]?.headers).not.toHaveProperty('dead_letter_reason')
  })

  test('marks a chunk after its acknowledgement, before it sends the next', async () => {
    const origins = Array.from({ length: 250 }, (_, index) => anOrigin(index))
    expect(await replayRecords(origins, replayOf())).toBe(250)
    expect(events).toEqual([
      ...['acknowledged', 'marked 100', 'acknowledged', 'marked 100', 'acknowledged', 'marked 50']
    ])
  })

  test('bounds the bytes of a chunk', async () => {
    reader.valueBytes = 700_000
    await replayRecords([anOrigin(0), anOrigin(1), anOrigin(2)], replayOf())
    expect(producer.sends).toEqual([1, 1, 1])
  })

  test('marks nothing without an acknowledgement', async () => {
    producer.failures.push(new Error('no broker'))
    await expect(replayRecords([anOrigin(0)], replayOf())).rejects.toThrow('no broker')
    expect(events).toEqual([])
  })

  test('stops between two chunks when aborted', async () => {
    const origins = Array.from({ length: 250 }, (_, index) => anOrigin(index))
    const progress = (): void => stop.abort()
    expect(await replayRecords(origins, replayOf({ progress }))).toBe(100)
    expect(events).toEqual(['acknowledged', 'marked 100'])
  })
})

test('reads only records that are close together in one range', () => {
  const origins = [anOrigin(1, 1), anOrigin(2, 5), anOrigin(3, 3), anOrigin(4, 3000)]
  const apart = [...origins, anOrigin(5, 3001, 1)]
  expect(runsOf(apart).map((run) => run.map(({ offset }) => Number(offset)))).toEqual([
    ...[[1, 2], [3], [4], [5]]
  ])
})
