/** How dead letters go back: in order, in bounded pieces, noted only when acknowledged. */
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { CondemnedOrigin } from '../../../../cli/letters/choose-letters.ts'
import { replayLetters, runsOf } from '../../../../cli/letters/replay-letters.ts'
import type { Replay } from '../../../../cli/letters/replay-letters.ts'
import type { OffsetRange, Stretch } from '../../../../platform/kafka/log-fetcher.ts'
import type { Queryable, Row } from '../../../../platform/postgres/postgres.ts'
import type { TopicReader } from '../../../../platform/kafka/topic-reader.ts'
import { aMessage, FakeProducer } from '../../consumers/fakes.ts'

const place = { topic: 'dead', timestamp: 5 }

function anOrigin(offset: number, letterAt = offset, partition = 0): CondemnedOrigin {
  const letters = [{ ...place, partition, offset: BigInt(letterAt) }]
  return { partition: 0, offset: BigInt(offset), letters }
}

/** Holds a message at every offset; its value is the offset, `valueBytes` long. */
class FullTopic implements TopicReader {
  readonly asked: OffsetRange[] = []
  valueBytes = 1

  async ranges(): Promise<OffsetRange[]> {
    return []
  }

  async offsetsAt(): Promise<bigint[]> {
    return []
  }

  async *read(_topic: string, ranges: readonly OffsetRange[]): AsyncGenerator<Stretch> {
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

  async *follow(): AsyncGenerator<Stretch> {}

  async close(): Promise<void> {}
}

/** Notes in `events` how many letters were marked. */
class Marks implements Queryable {
  readonly events: string[]

  constructor(events: string[]) {
    this.events = events
  }

  async query<R extends Row>(_statement: string, values: readonly unknown[] = []): Promise<R[]> {
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
  test('sends the original to its topic, in the order of the origins', async () => {
    expect(await replayLetters([anOrigin(1, 7), anOrigin(2, 3)], replayOf())).toBe(2)
    expect(producer.records.map(({ value }) => String(value))).toEqual(['7', '3'])
    expect(producer.records[0]).toMatchObject({
      topic: 'agent-decisions',
      headers: { traceparent: 'x' }
    })
    expect(producer.records[0]?.headers).not.toHaveProperty('dead_letter_reason')
  })

  test('marks a piece when it is acknowledged, and only then sends the next', async () => {
    const origins = Array.from({ length: 250 }, (_, index) => anOrigin(index))
    expect(await replayLetters(origins, replayOf())).toBe(250)
    expect(events).toEqual([
      ...['acknowledged', 'marked 100', 'acknowledged', 'marked 100', 'acknowledged', 'marked 50']
    ])
  })

  test('bounds the bytes of a piece', async () => {
    reader.valueBytes = 700_000
    await replayLetters([anOrigin(0), anOrigin(1), anOrigin(2)], replayOf())
    expect(producer.sends).toEqual([1, 1, 1])
  })

  test('marks nothing that was not acknowledged', async () => {
    producer.failures.push(new Error('no broker'))
    await expect(replayLetters([anOrigin(0)], replayOf())).rejects.toThrow('no broker')
    expect(events).toEqual([])
  })

  test('ends between two pieces when it is told to', async () => {
    const origins = Array.from({ length: 250 }, (_, index) => anOrigin(index))
    const progress = (): void => stop.abort()
    expect(await replayLetters(origins, replayOf({ progress }))).toBe(100)
    expect(events).toEqual(['acknowledged', 'marked 100'])
  })
})

test('letters that lie one behind the other are read together, and no others', () => {
  const origins = [anOrigin(1, 1), anOrigin(2, 5), anOrigin(3, 3), anOrigin(4, 3000)]
  const apart = [...origins, anOrigin(5, 3001, 1)]
  expect(runsOf(apart).map((run) => run.map(({ offset }) => Number(offset)))).toEqual([
    ...[[1, 2], [3], [4], [5]]
  ])
})
