/** Tests pausing a partition: earlier messages are settled first, and the pause is logged and
 * measured.
 */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { PartitionPause } from '../../../consumers/partition-pause.ts'
import { createPausePartitions } from '../../../consumers/pause-partitions.ts'
import type { ConsumeBatch } from '../../../consumers/pause-partitions.ts'
import { RecordingLogger } from '../platform/recording-logger.ts'
import { FakeBatch, messagesOf } from './fakes.ts'
import { RecordingMetrics } from './recording-metrics.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const gauge = 'sluice_consumer_paused_partitions'
const place = { topic: 'agent-decisions', partition: 3 }

function pauseAt(offset: bigint): PartitionPause {
  return new PartitionPause('dead-letter limit reached', { offset, fields: { dead_letters: 100 } })
}

/** Pauses at the first "!" of a batch. */
const consumePoison: ConsumeBatch = async (batch) => {
  const poison = batch.messages.find(({ value }) => String(value) === '!')
  if (poison !== undefined) throw pauseAt(poison.offset)
  await batch.commit()
}

function scene(consume: ConsumeBatch = consumePoison) {
  const metrics = new RecordingMetrics()
  const logger = new RecordingLogger()
  const assignment = { isAssigned: true }
  const consumer = { isAssigned: () => assignment.isAssigned }
  const pausePartitions = createPausePartitions({ logger, metrics, consumer })
  const batchOf = (...values: string[]): FakeBatch => new FakeBatch(messagesOf(...values))
  return { consume: pausePartitions(consume), batchOf, metrics, logger, assignment }
}

test('changes nothing when a batch is settled', async () => {
  const { consume, batchOf, metrics, logger } = scene()
  const batch = batchOf('a', 'b')
  await consume(batch)
  expect(batch.events).toEqual(['commit'])
  expect(batch.pauses).toEqual([])
  expect(metrics.levels).toEqual([])
  expect(logger.entries).toEqual([])
})

test('settles the earlier messages, pauses the partition, and logs and measures it', async () => {
  const { consume, batchOf, metrics, logger } = scene()
  const batch = batchOf('a', 'b', '!', 'c')
  await consume(batch)
  expect(batch.events).toEqual(['before 2', 'commit'])
  expect(batch.pauses).toEqual([10_000])
  expect(metrics.levelOf(gauge)).toBe(1)
  expect(logger.entries).toEqual([
    {
      level: 'error',
      message: 'dead-letter limit reached',
      fields: { ...place, offset: '2', dead_letters: 100 }
    }
  ])
})

test('commits nothing when the batch begins with the offset of the pause', async () => {
  const { consume, batchOf } = scene()
  const batch = batchOf('!', 'a')
  await consume(batch)
  expect(batch.events).toEqual(['before 0'])
})

test('pauses earlier when the earlier messages cannot be settled', async () => {
  const { consume, batchOf, logger } = scene(async (batch) => {
    if (batch.messages.length === 1) return
    throw pauseAt(batch.messages.length > 2 ? 2n : 1n)
  })
  const batch = batchOf('a', '?', '!')
  await consume(batch)
  expect(batch.events).toEqual(['before 2', 'before 1'])
  expect(logger.entries[0]?.fields).toMatchObject({ offset: '1' })
})

test('retries, logs again after five minutes, and resumes when it can', async () => {
  const { consume, batchOf, metrics, logger } = scene()
  await consume(batchOf('!'))
  await consume(batchOf('!'))
  expect(logger.entries).toHaveLength(1)
  await jest.advanceTimersByTimeAsync(300_000)
  await consume(batchOf('!'))
  expect(logger.entries).toHaveLength(2)
  await consume(batchOf('fixed'))
  expect(metrics.levelOf(gauge)).toBe(0)
  expect(logger.entries.at(-1)).toMatchObject({ level: 'info', message: 'partition resumed' })
})

test('does not measure a partition as paused once another member has it', async () => {
  const { consume, batchOf, metrics, assignment } = scene()
  await consume(batchOf('!'))
  assignment.isAssigned = false
  expect(metrics.levelOf(gauge)).toBe(0)
  // The partition is assigned again after another member has consumed all of it.
  assignment.isAssigned = true
  expect(metrics.levelOf(gauge)).toBe(0)
})

test('pauses nothing when the batch is over', async () => {
  const { consume, batchOf, metrics } = scene()
  const batch = batchOf('!')
  batch.isRevoked = true
  await consume(batch)
  expect(batch.pauses).toEqual([])
  expect(metrics.levels).toEqual([])
})

test('pauses at an offset after the batch', async () => {
  const { consume, batchOf } = scene(() => Promise.reject(pauseAt(9n)))
  const batch = batchOf('a')
  await consume(batch)
  expect(batch.pauses).toHaveLength(1)
})

test('rethrows any other error', async () => {
  const bug = new TypeError('a bug')
  const { consume, batchOf } = scene(() => Promise.reject(bug))
  await expect(consume(batchOf('a'))).rejects.toBe(bug)
})
