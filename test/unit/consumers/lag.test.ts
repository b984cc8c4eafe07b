/** Tests the consumer lag, which is measured independently of batches. */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { startLag } from '../../../consumers/lag.ts'
import type { PartitionProgress } from '../../../consumers/lag.ts'
import { RecordingLogger } from '../platform/recording-logger.ts'
import { RecordingMetrics } from './recording-metrics.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

function scene(progress: Record<string, PartitionProgress[]>) {
  const metrics = new RecordingMetrics()
  const readProgress = jest.fn(async (topic: string): Promise<PartitionProgress[]> => {
    const found = progress[topic]
    if (found === undefined) throw new Error('away')
    return found
  })
  const logger = new RecordingLogger()
  const begin = (topic: string) =>
    startLag({ topic, readProgress: () => readProgress(topic), metrics, logger })
  const start = () => {
    const stops = ['decisions', 'evaluations'].map(begin)
    return () => Promise.all(stops.map((stop) => stop()))
  }
  return { metrics, progress, readProgress, start }
}

test('measures every partition of every topic, at once and every five seconds', async () => {
  const evaluations = [{ partition: 0, committed: 9n, end: 9n }]
  const decisions = [
    { partition: 0, committed: 3n, end: 10n },
    { partition: 1, committed: 5n, end: 4n }
  ]
  const { metrics, progress, start } = scene({ decisions, evaluations })
  const stop = start()
  await jest.advanceTimersByTimeAsync(0)
  expect(metrics.levels.map(({ labels, value }) => [labels, value])).toEqual([
    [{ topic: 'decisions', partition: '0' }, 7],
    [{ topic: 'decisions', partition: '1' }, 0],
    [{ topic: 'evaluations', partition: '0' }, 0]
  ])
  progress['evaluations'] = [{ partition: 0, committed: 9n, end: 20n }]
  await jest.advanceTimersByTimeAsync(5000)
  expect(metrics.levels.at(-1)?.value).toBe(11)
  await stop()
  expect(jest.getTimerCount()).toBe(0)
})

test('measures other topics while one does not respond, and retries that one', async () => {
  const { metrics, readProgress, start } = scene({
    evaluations: [{ partition: 0, committed: 1n, end: 2n }]
  })
  const stop = start()
  await jest.advanceTimersByTimeAsync(5000)
  expect(metrics.levels).toHaveLength(2)
  expect(readProgress).toHaveBeenCalledTimes(4)
  await stop()
})

test('waits for a slow response before the next request, and before it stops', async () => {
  const { readProgress, start } = scene({})
  const answer = Promise.withResolvers<PartitionProgress[]>()
  readProgress.mockImplementation(() => answer.promise)
  const stop = start()
  await jest.advanceTimersByTimeAsync(60_000)
  expect(readProgress).toHaveBeenCalledTimes(2)
  const stopped = stop()
  answer.resolve([])
  await stopped
})
