/** A partition that is stopped: what lies before is settled, the rest waits, and it is told. */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { PartitionStop } from '../../../consumers/partition-stop.ts'
import { createStopPartitions } from '../../../consumers/stop-partitions.ts'
import type { ConsumeBatch } from '../../../consumers/stop-partitions.ts'
import { RecordingLogger } from '../platform/recording-logger.ts'
import { FakeBatch, messagesOf } from './fakes.ts'
import { RecordingMetrics } from './recording-metrics.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const gauge = 'sluice_consumer_stopped_partitions'
const place = { topic: 'agent-decisions', partition: 3 }

function stopAt(offset: bigint): PartitionStop {
  return new PartitionStop('a flood', { offset, fields: { dead_letters: 100 } })
}

/** Stops at the first "!" of a batch. */
const consumePoison: ConsumeBatch = async (batch) => {
  const poison = batch.messages.find(({ value }) => String(value) === '!')
  if (poison !== undefined) throw stopAt(poison.offset)
  await batch.commit()
}

function scene(consume: ConsumeBatch = consumePoison) {
  const metrics = new RecordingMetrics()
  const logger = new RecordingLogger()
  const assignment = { isAssigned: true }
  const consumer = { isAssigned: () => assignment.isAssigned }
  const stopPartitions = createStopPartitions({ logger, metrics, consumer })
  const batchOf = (...values: string[]): FakeBatch => new FakeBatch(messagesOf(...values))
  return { consume: stopPartitions(consume), batchOf, metrics, logger, assignment }
}

test('a batch that is settled is none of its business', async () => {
  const { consume, batchOf, metrics, logger } = scene()
  const batch = batchOf('a', 'b')
  await consume(batch)
  expect(batch.events).toEqual(['commit'])
  expect(batch.pauses).toEqual([])
  expect(metrics.levels).toEqual([])
  expect(logger.entries).toEqual([])
})

test('what lies before is settled, the partition pauses, and it is told and shown', async () => {
  const { consume, batchOf, metrics, logger } = scene()
  const batch = batchOf('a', 'b', '!', 'c')
  await consume(batch)
  expect(batch.events).toEqual(['before 2', 'commit'])
  expect(batch.pauses).toEqual([10_000])
  expect(metrics.levelOf(gauge)).toBe(1)
  expect(logger.entries).toEqual([
    { level: 'error', message: 'a flood', fields: { ...place, offset: '2', dead_letters: 100 } }
  ])
})

test('nothing is committed when it begins with the flood', async () => {
  const { consume, batchOf } = scene()
  const batch = batchOf('!', 'a')
  await consume(batch)
  expect(batch.events).toEqual(['before 0'])
})

test('what lies before may be stopped as well, and then earlier', async () => {
  const { consume, batchOf, logger } = scene(async (batch) => {
    if (batch.messages.length === 1) return
    throw stopAt(batch.messages.length > 2 ? 2n : 1n)
  })
  const batch = batchOf('a', '?', '!')
  await consume(batch)
  expect(batch.events).toEqual(['before 2', 'before 1'])
  expect(logger.entries[0]?.fields).toMatchObject({ offset: '1' })
})

test('it is looked at again, told again after five minutes, and goes on when it can', async () => {
  const { consume, batchOf, metrics, logger } = scene()
  await consume(batchOf('!'))
  await consume(batchOf('!'))
  expect(logger.entries).toHaveLength(1)
  await jest.advanceTimersByTimeAsync(300_000)
  await consume(batchOf('!'))
  expect(logger.entries).toHaveLength(2)
  await consume(batchOf('mended'))
  expect(metrics.levelOf(gauge)).toBe(0)
  expect(logger.entries.at(-1)).toMatchObject({ level: 'info', message: 'the partition goes on' })
})

test('a partition that went to another member is not shown as stopped here', async () => {
  const { consume, batchOf, metrics, assignment } = scene()
  await consume(batchOf('!'))
  assignment.isAssigned = false
  expect(metrics.levelOf(gauge)).toBe(0)
  // It comes back mended, with nothing left to read.
  assignment.isAssigned = true
  expect(metrics.levelOf(gauge)).toBe(0)
})

test('when the batch is over nothing is paused', async () => {
  const { consume, batchOf, metrics } = scene()
  const batch = batchOf('!')
  batch.isRevoked = true
  await consume(batch)
  expect(batch.pauses).toEqual([])
  expect(metrics.levels).toEqual([])
})

test('a place behind the batch ends it too', async () => {
  const { consume, batchOf } = scene(() => Promise.reject(stopAt(9n)))
  const batch = batchOf('a')
  await consume(batch)
  expect(batch.pauses).toHaveLength(1)
})

test('any other error passes', async () => {
  const bug = new TypeError('a bug')
  const { consume, batchOf } = scene(() => Promise.reject(bug))
  await expect(consume(batchOf('a'))).rejects.toBe(bug)
})
