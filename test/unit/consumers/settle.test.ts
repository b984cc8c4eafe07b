/** settle: dead letters acknowledged, then the offsets, then the counts. */
import { expect, test } from '@jest/globals'
import { deadLetter, done, duplicate } from '../../../core/consumed.ts'
import { createFlood } from '../../../consumers/flood.ts'
import { PartitionStop } from '../../../consumers/partition-stop.ts'
import { createSettle } from '../../../consumers/settle.ts'
import { createStopPartitions } from '../../../consumers/stop-partitions.ts'
import { ProduceError } from '../../../platform/kafka/record-producer.ts'
import { RecordingLogger } from '../platform/recording-logger.ts'
import { FakeBatch, FakeProducer, messagesOf, noFlood } from './fakes.ts'
import { RecordingMetrics } from './recording-metrics.ts'

const letter = deadLetter('decode', 'undecodable', 'truncated')

const groupId = 'storage'

function scene(...values: string[]) {
  const events: string[] = []
  const producer = new FakeProducer(events)
  const metrics = new RecordingMetrics()
  const logger = new RecordingLogger()
  const batch = new FakeBatch(messagesOf(...values), events)
  return {
    ...{ producer, metrics, logger, batch, events },
    settle: createSettle({ producer, metrics, logger, flood: createFlood(3), groupId })
  }
}

test('without dead letters it commits and produces nothing', async () => {
  const { settle, batch, producer, events } = scene('a', 'b')
  await settle(batch, [done, duplicate])
  expect(events).toEqual(['commit'])
  expect(producer.records).toEqual([])
})

test('dead letters are acknowledged, in order, before the commit', async () => {
  const { settle, batch, producer, events } = scene('a', 'b', 'c')
  await settle(batch, [letter, done, letter])
  expect(producer.records.map(({ value }) => String(value))).toEqual(['a', 'c'])
  expect(events).toEqual(['acknowledged', 'acknowledged', 'commit'])
})

test.each([
  ['the log is away', true],
  ['a letter is too large', false]
])('when %s it stops there: nothing is committed, counted or skipped', async (why, retryable) => {
  const { settle, batch, producer, events, metrics } = scene('a', 'b', 'c')
  producer.failures.push(new ProduceError(why, { retryable, cause: null }))
  const stop = await settle(batch, [done, letter, letter]).catch((error: unknown) => error)
  expect(stop).toBeInstanceOf(PartitionStop)
  expect(stop).toMatchObject({ offset: 1n, fields: { error: expect.stringContaining(why) } })
  expect(events).toEqual([])
  expect(metrics.counts).toEqual([])
})

test('a letter that is not taken stops at itself, and others are not sent for ever', async () => {
  const values = ['a', 'b', 'too large', 'd']
  const { batch, producer, metrics, logger } = scene(...values)
  const settle = createSettle({ producer, metrics, logger, flood: noFlood, groupId })
  const send = producer.send.bind(producer)
  producer.send = async (records) => {
    // Another partition takes its part of a request that fails.
    const [taken, refused] = [false, true].map((isRefused) =>
      records.filter(({ value }) => (String(value) === 'too large') === isRefused)
    )
    if (taken && taken.length > 0) await send(taken)
    if (refused?.length !== 0) throw new ProduceError('no', { retryable: false, cause: null })
  }
  let at = 0n
  const consumer = { isAssigned: () => true }
  const look = createStopPartitions({ logger, metrics, consumer })(async (given) => {
    const { messages } = given
    await settle(
      given,
      messages.map(({ value }) => (String(value) === 'a' ? done : letter))
    )
    at = (messages.at(-1)?.offset ?? at) + 1n
  })
  for (let looks = 0; looks < 5; looks++) {
    await look(new FakeBatch(batch.messages.filter(({ offset }) => offset >= at)))
  }
  expect(at).toBe(2n)
  const sent = producer.records.map(({ value }) => String(value))
  expect(sent.filter((value) => value === 'b')).toHaveLength(2)
  expect(sent.filter((value) => value === 'd')).toHaveLength(1)
})

test('a flood is not condemned, and what was settled before counts', async () => {
  const { settle, batch, events } = scene('a', 'b')
  await settle(batch, [letter, letter])
  expect(events).toEqual(['acknowledged', 'acknowledged', 'commit'])
  await expect(settle(batch, [letter, done])).rejects.toMatchObject({ offset: 0n })
  expect(events).toEqual(['acknowledged', 'acknowledged', 'commit'])
})

test('what is not committed does not count', async () => {
  const { settle, batch } = scene('a', 'b')
  const commit = batch.commit.bind(batch)
  batch.commit = () => Promise.reject(new Error('evicted'))
  await expect(settle(batch, [letter, letter])).rejects.toThrow('evicted')
  batch.commit = commit
  await settle(batch, [letter, letter])
})

test('counts nothing when the commit is refused', async () => {
  const { settle, batch, metrics } = scene('a')
  batch.commit = () => Promise.reject(new Error('evicted'))
  await expect(settle(batch, [done])).rejects.toThrow('evicted')
  expect(metrics.counts).toEqual([])
})

test('does nothing at all when a message has no outcome', async () => {
  const { settle, batch, events } = scene('a', 'b')
  await expect(settle(batch, [letter])).rejects.toThrow('offset 1 has no outcome')
  expect(events).toEqual([])
})

test('every message is counted once, by what became of it', async () => {
  const { settle, batch, metrics } = scene('a', 'b', 'c')
  await settle(batch, [done, letter, duplicate])
  const topic = 'agent-decisions'
  expect(metrics.labelsOf('sluice_consumed_total')).toEqual([
    { topic, outcome: 'done', reason: '' },
    { topic, outcome: 'dead_letter', reason: 'undecodable' },
    { topic, outcome: 'duplicate', reason: '' }
  ])
})

test('a dead letter is logged with its place and reason, and without its payload', async () => {
  const { settle, batch, logger } = scene('a', 'payload')
  await settle(batch, [done, letter])
  expect(logger.entries).toEqual([
    {
      level: 'warn',
      message: 'dead letter',
      fields: {
        topic: 'agent-decisions',
        partition: 3,
        offset: '1',
        step: 'decode',
        reason: 'undecodable',
        error: 'truncated'
      }
    }
  ])
})
