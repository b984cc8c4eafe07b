/** Tests the watermark, which is recorded every second and is never ahead of storage. */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import type { PartitionProgress } from '../../../../consumers/lag.ts'
import { recordProgress, startWatermark } from '../../../../consumers/storage/watermark.ts'
import type { EndSamples } from '../../../../consumers/storage/watermark.ts'
import type { Queryable, Row } from '../../../../platform/postgres/postgres.ts'
import { noon } from '../../../support/builders.ts'
import { RecordingLogger } from '../../platform/recording-logger.ts'

class FakePostgres implements Queryable {
  readonly written: (readonly unknown[])[] = []
  failure: Error | null = null

  async query<R extends Row>(_statement: string, values: readonly unknown[] = []): Promise<R[]> {
    if (this.failure !== null) throw this.failure
    this.written.push(values)
    return []
  }
}

function scene(progress: PartitionProgress[] | (() => Promise<PartitionProgress[]>)) {
  const clock = { time: noon, now: () => clock.time }
  const postgres = new FakePostgres()
  const logger = new RecordingLogger()
  const readProgress = typeof progress === 'function' ? progress : async () => progress
  const dependencies = { topic: 'agent-decisions', readProgress, postgres, clock, logger }
  return { dependencies, clock, postgres, logger }
}

test('reports a partition as settled when the committed offset reaches its end', async () => {
  const { dependencies, postgres } = scene([
    { partition: 0, committed: 5n, end: 5n },
    { partition: 1, committed: 4n, end: 5n },
    { partition: 2, committed: 0n, end: 0n },
    { partition: 3, committed: 9_007_199_254_740_993n, end: 9_007_199_254_740_994n },
    { partition: 4, committed: 6n, end: 5n }
  ])
  await recordProgress(dependencies)
  expect(postgres.written).toEqual([
    [
      'agent-decisions',
      [0, 1, 2, 3, 4],
      ['5', '4', '0', '9007199254740993', '6'],
      [new Date(noon), null, new Date(noon), null, new Date(noon)]
    ]
  ])
})

test('reports a partition as settled up to an earlier end that it has passed', async () => {
  const progress = { partition: 0, committed: 4n, end: 5n }
  const { dependencies, clock, postgres } = scene(async () => [{ ...progress }])
  const samples: EndSamples = new Map()
  await recordProgress(dependencies, samples)
  clock.time += 1000
  Object.assign(progress, { committed: 5n, end: 9n })
  await recordProgress(dependencies, samples)
  expect(postgres.written.map((values) => values.at(-1))).toEqual([[null], [new Date(noon)]])
})

test('reports the time before the ends were read, which excludes later messages', async () => {
  const { dependencies, clock, postgres } = scene(async () => {
    clock.time += 700
    return [{ partition: 0, committed: 1n, end: 1n }]
  })
  await recordProgress(dependencies)
  expect(postgres.written[0]?.at(-1)).toEqual([new Date(noon)])
})

describe('the ticks', () => {
  beforeEach(() => void jest.useFakeTimers())
  afterEach(() => void jest.useRealTimers())

  test.each(['Kafka', 'Postgres'])('log a failure while %s is unavailable', async (who) => {
    const failure = new Error('away')
    const { dependencies, postgres, logger } = scene(async () => {
      if (who === 'Kafka') throw failure
      return []
    })
    postgres.failure = failure
    const stop = startWatermark(dependencies)
    await jest.advanceTimersByTimeAsync(1000)
    expect(logger.entries).toMatchObject([{ level: 'debug' }])
    await stop()
  })

  test('come every second until it is stopped', async () => {
    const { dependencies, postgres } = scene([])
    const stop = startWatermark(dependencies)
    await jest.advanceTimersByTimeAsync(3000)
    expect(postgres.written).toHaveLength(3)
    await stop()
    await jest.advanceTimersByTimeAsync(3000)
    expect(postgres.written).toHaveLength(3)
    expect(jest.getTimerCount()).toBe(0)
  })

  test('do not overlap, and stopping waits for a slow one', async () => {
    const answer = Promise.withResolvers<PartitionProgress[]>()
    let reads = 0
    const { dependencies, postgres } = scene(() => {
      reads += 1
      return answer.promise
    })
    const stop = startWatermark(dependencies)
    await jest.advanceTimersByTimeAsync(5000)
    expect(reads).toBe(1)
    const stopped = stop()
    answer.resolve([])
    await stopped
    expect(postgres.written).toHaveLength(1)
  })

  test('continue after a failed one', async () => {
    const { dependencies, postgres } = scene([])
    postgres.failure = new Error('away')
    const stop = startWatermark(dependencies)
    await jest.advanceTimersByTimeAsync(2000)
    postgres.failure = null
    await jest.advanceTimersByTimeAsync(1000)
    expect(postgres.written).toHaveLength(1)
    await stop()
  })
})
