/** Tests that a batch is decoded, handled and settled in this order, or not settled at all. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { deadLetter, done, duplicate, TransientError } from '../../../core/message-outcome.ts'
import type { MessageOutcome } from '../../../core/message-outcome.ts'
import { createConsumeBatch } from '../../../consumers/consume-batch.ts'
import type { HandleBatch } from '../../../consumers/consume-batch.ts'
import { createSettle } from '../../../consumers/settle.ts'
import type { Decode } from '../../../platform/registry/decode.ts'
import { RecordingLogger } from '../platform/recording-logger.ts'
import { FakeBatch, FakeProducer, messagesOf, noLimit } from './fakes.ts'
import { RecordingMetrics } from './recording-metrics.ts'

const poison = deadLetter('decode', 'undecodable', 'no text')

/** Decodes values as text. A value that begins with "!" cannot be decoded. */
const decode: Decode<string> = async (message) => {
  const value = String(message.value)
  return value.startsWith('!') ? poison : { kind: 'decoded', value }
}

interface Overrides {
  decode?: Decode<string>
  handle?: HandleBatch<string>
}

/**
 * Creates a consumer that settles as in production, and retries without pauses until
 * `batch.isOver()`.
 */
function scene(values: string[], overrides: Overrides = {}) {
  const events: string[] = []
  const batch = new FakeBatch(messagesOf(...values), events)
  const producer = new FakeProducer(events)
  const settled: MessageOutcome[] = []
  const settle = createSettle({
    producer,
    metrics: new RecordingMetrics(),
    logger: new RecordingLogger(),
    deadLetterLimit: noLimit,
    groupId: 'storage'
  })
  const consume = createConsumeBatch<string>({
    decode,
    deadLetterLimit: noLimit,
    handle: async (handed) => {
      events.push(`handle ${handed.join(' ')}`)
      return handed.map(() => done)
    },
    settle: async (settledBatch, outcomes) => {
      settled.push(...outcomes)
      await settle(settledBatch, outcomes)
    },
    retryWhileTransient: async (watched, work) => {
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
  test('is handle, acknowledged dead-letter records, commit', async () => {
    const { consume, events } = scene(['a', '!', 'b', '!'])
    await consume()
    expect(events).toEqual(['handle a b', 'acknowledged', 'acknowledged', 'commit'])
  })

  test('commits a batch of undecodable messages', async () => {
    const { consume, events, settled } = scene(['!', '!'])
    await consume()
    expect(settled).toEqual([poison, poison])
    expect(events.at(-1)).toBe('commit')
  })

  test("merges the handler's outcomes with those of undecodable messages", async () => {
    const outcomes = [done, duplicate, deadLetter('store', 'refused_by_store', 'no')]
    const { consume, settled } = scene(['!', 'a', 'b', '!', 'c'], { handle: async () => outcomes })
    await consume()
    expect(settled).toEqual([poison, outcomes[0], outcomes[1], poison, outcomes[2]])
  })

  test('holds for any mix of messages and outcomes', async () => {
    const conflict = deadLetter('store', 'id_conflict', 'taken')
    const cases = fc.array(fc.constantFrom('!', 'done', 'duplicate', 'conflict'), { maxLength: 30 })
    const made: Record<string, MessageOutcome> = { '!': poison, done, duplicate, conflict }
    const madeOf = (value: string): MessageOutcome => made[value] ?? poison
    await fc.assert(
      fc.asyncProperty(cases, async (values) => {
        const handle: HandleBatch<string> = async (handed) => handed.map(madeOf)
        const { consume, settled, producer, events } = scene(values, { handle })
        await consume()
        expect(settled).toEqual(values.map(madeOf))
        const deadLettered = values.filter((value) => madeOf(value).kind === 'dead_letter')
        expect(producer.records.map(({ value }) => String(value))).toEqual(deadLettered)
        expect(events.at(-1)).toBe('commit')
      })
    )
  })
})

describe('nothing is settled', () => {
  test('when Postgres is unavailable until the batch is over', async () => {
    let attempts = 0
    const path = scene(['a', '!'], {
      handle: async () => {
        attempts += 1
        path.batch.isRevoked = attempts === 3
        throw new TransientError('away')
      }
    })
    await path.consume()
    expect(attempts).toBe(3)
    expect(path.events).toEqual([])
    expect(path.producer.records).toEqual([])
  })

  test('when the registry is unavailable until the batch is over', async () => {
    const path = scene(['a'], {
      decode: async () => {
        path.batch.isRevoked = true
        throw new TransientError('away')
      }
    })
    await path.consume()
    expect(path.events).toEqual([])
  })

  test('when the handler throws', async () => {
    const bug = new Error('a bug')
    const { consume, events } = scene(['a', '!'], { handle: () => Promise.reject(bug) })
    await expect(consume()).rejects.toBe(bug)
    expect(events).toEqual([])
  })

  test('when the handler returns too few outcomes', async () => {
    const { consume, events } = scene(['a', 'b'], { handle: async () => [done] })
    await expect(consume()).rejects.toThrow('fewer outcomes')
    expect(events).toEqual([])
  })

  test('when a dead-letter record is not acknowledged', async () => {
    const { consume, events, producer } = scene(['a', '!', '!'])
    producer.failures.push(new Error('Kafka is unavailable'))
    await expect(consume()).rejects.toThrow('cannot write to the dead-letter topic')
    expect(events).toEqual(['handle a'])
  })
})

test('delays the batch during an outage, without dead-letter records', async () => {
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
