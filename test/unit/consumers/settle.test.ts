/** Tests settling: dead-letter records are acknowledged before offsets are committed. */
import { expect, test } from '@jest/globals'
import { deadLetter, done, duplicate } from '../../../core/message-outcome.ts'
import { createDeadLetterLimit } from '../../../consumers/dead-letter-limit.ts'
import { PartitionPause } from '../../../consumers/partition-pause.ts'
import { createSettle } from '../../../consumers/settle.ts'
import { createPausePartitions } from '../../../consumers/pause-partitions.ts'
import { ProduceError } from '../../../platform/kafka/record-producer.ts'
import { RecordingLogger } from '../platform/recording-logger.ts'
import { FakeBatch, FakeProducer, messagesOf, noLimit } from './fakes.ts'
import { RecordingMetrics } from './recording-metrics.ts'

const poison = deadLetter('decode', 'undecodable', 'truncated')

const groupId = 'storage'

function scene(...values: string[]) {
  const events: string[] = []
  const producer = new FakeProducer(events)
  const metrics = new RecordingMetrics()
  const logger = new RecordingLogger()
  const batch = new FakeBatch(messagesOf(...values), events)
  return {
    ...{ producer, metrics, logger, batch, events },
    settle: createSettle({
      producer,
      metrics,
      logger,
      deadLetterLimit: createDeadLetterLimit(3),
      groupId
    })
  }
}

test('commits and produces nothing without dead-letter records', async () => {
  const { settle, batch, producer, events } = scene('a', 'b')
  await settle(batch, [done, duplicate])
  expect(events).toEqual(['commit'])
  expect(producer.records).toEqual([])
})

test('writes dead-letter records in order, acknowledged before the commit', async () => {
  const { settle, batch, producer, events } = scene('a', 'b', 'c')
  await settle(batch, [poison, done, poison])
  expect(producer.records.map(({ value }) => String(value))).toEqual(['a', 'c'])
  expect(events).toEqual(['acknowledged', 'acknowledged', 'commit'])
})

test.each([
  ['Kafka is unavailable', true],
  ['a record is too large', false]
])('commits, counts and skips nothing when %s', async (why, retryable) => {
  const { settle, batch, producer, events, metrics } = scene('a', 'b', 'c')
  producer.failures.push(new ProduceError(why, { retryable, cause: null }))
  const stop = await settle(batch, [done, poison, poison]).catch((error: unknown) => error)
  expect(stop).toBeInstanceOf(PartitionPause)
  expect(stop).toMatchObject({ offset: 1n, fields: { error: expect.stringContaining(why) } })
  expect(events).toEqual([])
  expect(metrics.counts).toEqual([])
})

test('pauses at a rejected record, without sending the others again on every retry', async () => {
  const values = ['a', 'b', 'too large', 'd']
  const { batch, producer, metrics, logger } = scene(...values)
  const settle = createSettle({ producer, metrics, logger, deadLetterLimit: noLimit, groupId })
  const send = producer.send.bind(producer)
  producer.send = async (records) => {
    // The partition of the small records accepts them, although the request fails.
    const [taken, refused] = [false, true].map((isRefused) =>
      records.filter(({ value }) => (String(value) === 'too large') === isRefused)
    )
    if (taken && taken.length > 0) await send(taken)
    if (refused?.length !== 0) throw new ProduceError('no', { retryable: false, cause: null })
  }
  let at = 0n
  const consumer = { isAssigned: () => true }
  const consume = createPausePartitions({ logger, metrics, consumer })(async (given) => {
    const { messages } = given
    await settle(
      given,
      messages.map(({ value }) => (String(value) === 'a' ? done : poison))
    )
    at = (messages.at(-1)?.offset ?? at) + 1n
  })
  for (let retries = 0; retries < 5; retries++) {
    await consume(new FakeBatch(batch.messages.filter(({ offset }) => offset >= at)))
  }
  expect(at).toBe(2n)
  const sent = producer.records.map(({ value }) => String(value))
  expect(sent.filter((value) => value === 'b')).toHaveLength(2)
  expect(sent.filter((value) => value === 'd')).toHaveLength(1)
})

test('pauses at the dead-letter limit, which includes settled messages', async () => {
  const { settle, batch, events } = scene('a', 'b')
  await settle(batch, [poison, poison])
  expect(events).toEqual(['acknowledged', 'acknowledged', 'commit'])
  await expect(settle(batch, [poison, done])).rejects.toMatchObject({ offset: 0n })
  expect(events).toEqual(['acknowledged', 'acknowledged', 'commit'])
})

test('does not count uncommitted messages for the limit', async () => {
  const { settle, batch } = scene('a', 'b')
  const commit = batch.commit.bind(batch)
  batch.commit = () => Promise.reject(new Error('evicted'))
  await expect(settle(batch, [poison, poison])).rejects.toThrow('evicted')
  batch.commit = commit
  await settle(batch, [poison, poison])
})

test('counts nothing when the commit fails', async () => {
  const { settle, batch, metrics } = scene('a')
  batch.commit = () => Promise.reject(new Error('evicted'))
  await expect(settle(batch, [done])).rejects.toThrow('evicted')
  expect(metrics.counts).toEqual([])
})

test('does nothing when a message has no outcome', async () => {
  const { settle, batch, events } = scene('a', 'b')
  await expect(settle(batch, [poison])).rejects.toThrow('offset 1 has no outcome')
  expect(events).toEqual([])
})

test('counts every message once, by its outcome', async () => {
  const { settle, batch, metrics } = scene('a', 'b', 'c')
  await settle(batch, [done, poison, duplicate])
  const topic = 'agent-decisions'
  expect(metrics.labelsOf('sluice_consumed_total')).toEqual([
    { topic, outcome: 'done', reason: '' },
    { topic, outcome: 'dead_letter', reason: 'undecodable' },
    { topic, outcome: 'duplicate', reason: '' }
  ])
})

test('logs a dead-lettered message with position and reason, without its payload', async () => {
  const { settle, batch, logger } = scene('a', 'payload')
  await settle(batch, [done, poison])
  expect(logger.entries).toEqual([
    {
      level: 'warn',
      message: 'message dead-lettered',
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
