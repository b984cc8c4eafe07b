/** The path of a batch: decode, handle, settle; in that order, or not at all. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { deadLetter, done, duplicate, TransientError } from '../../../core/consumed.ts'
import type { Consumed } from '../../../core/consumed.ts'
import { createConsumeBatch } from '../../../consumers/run-consumer.ts'
import type { DecodeBatch, HandleBatch } from '../../../consumers/run-consumer.ts'
import { createSettle } from '../../../consumers/settle.ts'
import { RecordingLogger } from '../platform/recording-logger.ts'
import { FakeBatch, FakeProducer, messagesOf, noFlood } from './fakes.ts'
import { RecordingMetrics } from './recording-metrics.ts'

const poison = deadLetter('decode', 'undecodable', 'no text')

/** Values are texts; "!" is no text. */
const decode: DecodeBatch<string> = async (messages) =>
  messages.map((message) => {
    const value = String(message.value)
    return value.startsWith('!') ? poison : { kind: 'decoded', value }
  })

interface Overrides {
  decode?: DecodeBatch<string>
  handle?: HandleBatch<string>
}

/** The line with the real settle; a batch is tried until it is over, without waiting. */
function scene(values: string[], overrides: Overrides = {}) {
  const events: string[] = []
  const batch = new FakeBatch(messagesOf(...values), events)
  const producer = new FakeProducer(events)
  const settled: Consumed[] = []
  const settle = createSettle({
    producer,
    metrics: new RecordingMetrics(),
    logger: new RecordingLogger(),
    flood: noFlood,
    groupId: 'storage'
  })
  const consume = createConsumeBatch<string>({
    decode,
    handle: async (handed) => {
      events.push(`handle ${handed.join(' ')}`)
      return handed.map(() => done)
    },
    settle: async (settledBatch, outcomes) => {
      settled.push(...outcomes)
      await settle(settledBatch, outcomes)
    },
    patiently: async (watched, work) => {
      while (!watched.isOver()) {
        try {
          return await work()
        } catch (error) {
          if (!(error instanceof TransientError)) throw error
        }
      }
      return 'over'
    },
    ...overrides
  })
  return { consume: () => consume(batch), batch, producer, events, settled }
}

describe('the order', () => {
  test('is handle, dead letters acknowledged, commit', async () => {
    const { consume, events } = scene(['a', '!', 'b', '!'])
    await consume()
    expect(events).toEqual(['handle a b', 'acknowledged', 'acknowledged', 'commit'])
  })

  test('a batch of poison is handled as nothing, and committed', async () => {
    const { consume, events, settled } = scene(['!', '!'])
    await consume()
    expect(settled).toEqual([poison, poison])
    expect(events.at(-1)).toBe('commit')
  })

  test('what the handler made of each is put back between what was not decodable', async () => {
    const outcomes = [done, duplicate, deadLetter('store', 'refused_by_store', 'no')]
    const { consume, settled } = scene(['!', 'a', 'b', '!', 'c'], { handle: async () => outcomes })
    await consume()
    expect(settled).toEqual([poison, outcomes[0], outcomes[1], poison, outcomes[2]])
  })

  test('holds for whatever is decodable and whatever becomes of it', async () => {
    const letter = deadLetter('store', 'id_conflict', 'taken')
    const cases = fc.array(fc.constantFrom('!', 'done', 'duplicate', 'letter'), { maxLength: 30 })
    const made: Record<string, Consumed> = { '!': poison, done, duplicate, letter }
    const madeOf = (value: string): Consumed => made[value] ?? poison
    await fc.assert(
      fc.asyncProperty(cases, async (values) => {
        const handle: HandleBatch<string> = async (handed) => handed.map(madeOf)
        const { consume, settled, producer, events } = scene(values, { handle })
        await consume()
        expect(settled).toEqual(values.map(madeOf))
        const letters = values.filter((value) => madeOf(value).kind === 'dead_letter')
        expect(producer.records.map(({ value }) => String(value))).toEqual(letters)
        expect(events.at(-1)).toBe('commit')
      })
    )
  })
})

describe('nothing is settled', () => {
  test('when the store is away until the batch is over', async () => {
    let attempts = 0
    const line = scene(['a', '!'], {
      handle: async () => {
        attempts += 1
        line.batch.isRevoked = attempts === 3
        throw new TransientError('away')
      }
    })
    await line.consume()
    expect(attempts).toBe(3)
    expect(line.events).toEqual([])
    expect(line.producer.records).toEqual([])
  })

  test('when the registry is away until the batch is over', async () => {
    const line = scene(['a'], {
      decode: async () => {
        line.batch.isRevoked = true
        throw new TransientError('away')
      }
    })
    await line.consume()
    expect(line.events).toEqual([])
  })

  test('when the handler breaks', async () => {
    const bug = new Error('a bug')
    const { consume, events } = scene(['a', '!'], { handle: () => Promise.reject(bug) })
    await expect(consume()).rejects.toBe(bug)
    expect(events).toEqual([])
  })

  test('when the handler forgot one', async () => {
    const { consume, events } = scene(['a', 'b'], { handle: async () => [done] })
    await expect(consume()).rejects.toThrow('fewer outcomes')
    expect(events).toEqual([])
  })

  test('when a dead letter is not acknowledged', async () => {
    const { consume, events, producer } = scene(['a', '!', '!'])
    producer.failures.push(new Error('the log is away'))
    await expect(consume()).rejects.toThrow('takes no letter')
    expect(events).toEqual(['handle a'])
  })
})

test('an outage that ends delays the batch and condemns nothing', async () => {
  const outage = [new TransientError('away'), new TransientError('away')]
  const { consume, events, settled } = scene(['a', 'b'], {
    handle: async (handed) => {
      const failure = outage.pop()
      if (failure) throw failure
      return handed.map(() => done)
    }
  })
  await consume()
  expect(settled).toEqual([done, done])
  expect(events).toEqual(['commit'])
})
