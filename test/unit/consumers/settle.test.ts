/** settle: dead letters acknowledged, then the offsets, then the counts. */
import { expect, test } from '@jest/globals'
import { deadLetter, done, duplicate } from '../../../core/consumed.ts'
import { createSettle } from '../../../consumers/settle.ts'
import { RecordingLogger } from '../platform/recording-logger.ts'
import { FakeBatch, FakeProducer, messagesOf } from './fakes.ts'
import { RecordingMetrics } from './recording-metrics.ts'

const letter = deadLetter('decode', 'undecodable', 'truncated')

function scene(...values: string[]) {
  const events: string[] = []
  const producer = new FakeProducer(events)
  const metrics = new RecordingMetrics()
  const logger = new RecordingLogger()
  const batch = new FakeBatch(messagesOf(...values), events)
  return {
    ...{ producer, metrics, logger, batch, events },
    settle: createSettle({ producer, metrics, logger })
  }
}

test('without dead letters it commits and produces nothing', async () => {
  const { settle, batch, producer, events } = scene('a', 'b')
  await settle(batch, [done, duplicate])
  expect(events).toEqual(['commit'])
  expect(producer.records).toEqual([])
})

test('dead letters are acknowledged together, in order, before the commit', async () => {
  const { settle, batch, producer, events } = scene('a', 'b', 'c')
  await settle(batch, [letter, done, letter])
  expect(producer.records.map(({ value }) => String(value))).toEqual(['a', 'c'])
  expect(events).toEqual(['acknowledged', 'commit'])
})

test('commits and counts nothing when a dead letter is not acknowledged', async () => {
  const { settle, batch, producer, events, metrics } = scene('a', 'b')
  producer.failures.push(new Error('the log is away'))
  await expect(settle(batch, [letter, done])).rejects.toThrow('the log is away')
  expect(events).toEqual([])
  expect(metrics.counts).toEqual([])
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

test.each([
  ['at the end of the partition', 2n, 0],
  ['before five more messages', 7n, 5],
  ['when the end was read before the last message came', 1n, 0]
])('the lag %s', async (_what, highWatermark, lag) => {
  const { settle, batch, metrics } = scene('a', 'b')
  batch.highWatermark = highWatermark
  await settle(batch, [done, done])
  expect(metrics.levels).toEqual([
    {
      name: 'sluice_consumer_lag_messages',
      labels: { topic: 'agent-decisions', partition: '3' },
      value: lag
    }
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
